"""WarpWatt from Python: simulate CUDA kernels (PTX) on a GPU and read cycles, counters and joules.

    import warpwatt

    gpu = warpwatt.Device("gtx580", settings={"sm.max_ctas": 4})
    y, x = [1.0] * 1000, list(range(1000))
    module = gpu.load("saxpy.ptx")
    y = gpu.array(y, "f")
    module.saxpy[4, 256](y, gpu.array(x, "f"), 2.0, 1000)
    print(y.tolist()[:3], gpu.results[-1].energy_j)

Nothing is compiled: the module calls libwarpwatt through ctypes. With numpy, arrays go in and come out; with pandas, results are
data frames. Neither is needed. Units are SI, as everywhere in WarpWatt.
"""

from __future__ import annotations

import array as _array
import collections.abc
import ctypes as _c
import functools as _functools
import os as _os
import pathlib as _pathlib
import threading as _threading
import warnings as _warnings
from typing import Any, Callable, Mapping, Sequence

try:
    import numpy as _np
except ImportError:
    _np = None

__all__ = ["Device", "Module", "Kernel", "Array", "Result", "Error", "frame", "version", "__version__", "components", "counters",
           "metrics"]


# ---- the library ----

class _Error(_c.Structure):
    _fields_ = [("status", _c.c_int), ("message", _c.c_char * 4096)]


_PRINT = _c.CFUNCTYPE(None, _c.c_void_p, _c.POINTER(_c.c_char), _c.c_size_t)


class _Interval(_c.Structure):
    _fields_ = ([("size", _c.c_size_t), ("cycles", _c.c_uint64), ("warp_instructions", _c.c_uint64)]
                + [(name, _c.c_double) for name in ("start_s", "seconds", "energy_j", "power_w")]
                + [("component_j", _c.POINTER(_c.c_double))]
                + [(name, _c.c_double) for name in
                   ("active_sms", "clock_hz", "voltage_v", "temperature_k", "lowest_hz", "highest_hz", "step_hz")])


_GOVERNOR = _c.CFUNCTYPE(_c.c_double, _c.c_void_p, _c.POINTER(_Interval))


class _Options(_c.Structure):
    _fields_ = [("size", _c.c_size_t), ("settings", _c.POINTER(_c.c_char_p)), ("setting_count", _c.c_size_t),
                ("mechanisms", _c.c_char_p), ("threads", _c.c_uint), ("ptx_stream", _c.c_int), ("functional", _c.c_int),
                ("memcheck", _c.c_int), ("interval_cycles", _c.c_uint64), ("max_cycles", _c.c_uint64),
                ("max_instructions", _c.c_uint64), ("print", _PRINT), ("user", _c.c_void_p),
                ("governor", _GOVERNOR), ("heat_times", _c.c_double)]


class _Kernel(_c.Structure):
    _fields_ = [(name, _c.c_uint32) for name in ("param_count", "registers", "shared_bytes", "local_bytes", "max_threads")]


class _Result(_c.Structure):
    _fields_ = ([("size", _c.c_size_t), ("kernel", _c.c_char_p), ("workload", _c.c_char_p), ("grid", _c.c_uint32 * 3),
                 ("block", _c.c_uint32 * 3), ("registers", _c.c_uint32), ("shared_bytes", _c.c_uint32),
                 ("ctas_per_sm", _c.c_uint32), ("cycles", _c.c_uint64), ("warp_instructions", _c.c_uint64)]
                + [(name, _c.c_double) for name in
                   ("time_s", "energy_j", "dynamic_w", "static_w", "total_w", "uncertainty_j")])


class _Power(_c.Structure):
    _fields_ = [(name, _c.c_double) for name in
                ("event_j", "background_j", "leakage_j", "dynamic_w", "total_w", "share")]


def _places():
    """The file that WARPWATT_LIBRARY names; else the library of the wheel, installation or build tree that this file lies in; else
    the system's."""
    named = _os.environ.get("WARPWATT_LIBRARY")
    if named:
        return [named]
    found = []
    for up in list(_pathlib.Path(__file__).resolve().parents)[:6]:
        for pattern in ("lib/libwarpwatt.so.0", "lib/*/libwarpwatt.so.0", "lib64/libwarpwatt.so.0",
                        "build/release/api/libwarpwatt.so.0"):
            found += sorted(str(path) for path in up.glob(pattern))
    return found + ["libwarpwatt.so.0"]


_V, _P, _S, _E = _c.c_void_p, _c.POINTER, _c.c_char_p, _c.POINTER(_Error)
_U32x3, _Z, _U64 = _c.c_uint32 * 3, _c.c_size_t, _c.c_uint64
_PROTOTYPES = {
    "open": [_S, _P(_Options), _P(_V), _E],
    "chip": [_V, _P(_c.c_double), _P(_c.c_double), _E],
    "malloc": [_V, _Z, _P(_U64), _E],
    "free": [_V, _U64, _E],
    "write": [_V, _U64, _V, _Z, _E],
    "read": [_V, _V, _U64, _Z, _E],
    "memset": [_V, _U64, _c.c_int, _Z, _E],
    "load": [_V, _S, _S, _Z, _P(_V), _E],
    "load_file": [_V, _S, _P(_V), _E],
    "symbol": [_V, _V, _S, _P(_U64), _P(_Z), _E],
    "kernel_info": [_V, _V, _S, _P(_Kernel), _E],
    "kernel_param": [_V, _V, _S, _c.c_uint32, _P(_Z), _E],
    "kernel_param_floats": [_V, _V, _S, _c.c_uint32, _P(_c.c_int), _E],
    "kernel_param_elements": [_V, _V, _S, _c.c_uint32, _P(_c.c_uint32), _P(_c.c_int), _E],
    "launch": [_V, _V, _S, _U32x3, _U32x3, _Z, _P(_V), _Z, _E],
    "run_workload": [_V, _S, _E],
    "result_at": [_V, _Z, _P(_Result), _E],
    "power_at": [_V, _Z, _Z, _P(_Power), _E],
    "counter_at": [_V, _Z, _S, _P(_U64), _E],
    "metric_at": [_V, _Z, _Z, _P(_c.c_double), _E],
    "export": [_V, _S, _c.c_int, _E],
    "result_check": [_S, _E],
}


def _load_library():
    failure = None
    for place in _places():
        try:
            library = _c.CDLL(place)
            break
        except OSError as error:
            failure = failure or error
    else:
        raise ImportError("libwarpwatt is not found; in a source tree ./demo builds it (the target libwarpwatt of build/release), and "
                          f"WARPWATT_LIBRARY may name it: {failure}")
    for name, arguments in _PROTOTYPES.items():
        function = getattr(library, "warpwatt_" + name)
        function.argtypes, function.restype = arguments, _c.c_int
    for name in ("component_name", "component_meaning", "counter_name", "counter_unit", "counter_meaning", "metric_name",
                 "metric_unit", "metric_meaning"):
        function = getattr(library, "warpwatt_" + name)
        function.argtypes, function.restype = [_Z], _S
    for name in ("component_count", "counter_count", "metric_count"):
        getattr(library, "warpwatt_" + name).restype = _Z
    library.warpwatt_version.restype = _S
    library.warpwatt_interrupt.argtypes, library.warpwatt_interrupt.restype = [_V], None
    library.warpwatt_close.argtypes, library.warpwatt_close.restype = [_V], None
    library.warpwatt_parameter.argtypes, library.warpwatt_parameter.restype = [_V, _S], _S
    library.warpwatt_result_count.argtypes, library.warpwatt_result_count.restype = [_V], _Z
    library.warpwatt_result_clear.argtypes, library.warpwatt_result_clear.restype = [_V], None
    return library


class _Library:
    """The library, loaded at its first use: recording a model (warpwatt.record) needs none."""

    def __getattr__(self, name):
        library = _load_library()
        globals()["_lib"] = library
        return getattr(library, name)


_lib = _Library()
_ALL = _Z(-1).value


class Error(RuntimeError):
    """What WarpWatt could not do: its message, and `status`, the number of warpwatt_status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _call(name, *arguments):
    error = _Error()
    status = getattr(_lib, "warpwatt_" + name)(*arguments, _c.byref(error))
    if status != 0:
        raise Error(status, error.message.decode(errors="replace"))


def _call_long(device, name, *arguments):
    """The same for what may take long. Python handles signals in its main thread, between its own instructions: that thread waits
    here while another one is in the library, and Ctrl-C ends what runs."""
    if _threading.current_thread() is not _threading.main_thread():
        return _call(name, device, *arguments)
    raised, done = [], _threading.Event()  # an interrupted Thread.join would take the thread for ended

    def call():
        try:
            _call(name, device, *arguments)
        except BaseException as error:
            raised.append(error)
        finally:
            done.set()

    _threading.Thread(target=call, daemon=True).start()
    try:
        while not done.wait(0.1):  # a signal need not wake this thread
            pass
    except BaseException:
        _lib.warpwatt_interrupt(device)
        done.wait()
        raise
    if raised:
        raise raised[0]


def _names(kind):
    name = getattr(_lib, f"warpwatt_{kind}_name")
    return [name(i).decode() for i in range(getattr(_lib, f"warpwatt_{kind}_count")())]


@_functools.lru_cache(maxsize=None)
def _meanings(kind):
    meaning = getattr(_lib, f"warpwatt_{kind}_meaning")
    return {name: meaning(i).decode() for i, name in enumerate(_names(kind))}


version: str
__version__: str
components: dict[str, str]
counters: dict[str, str]
metrics: dict[str, str]


def __getattr__(name: str) -> Any:
    """What the library says of itself: asked for when it is looked at."""
    if name in ("version", "__version__"):
        return _lib.warpwatt_version().decode()
    if name in ("components", "counters", "metrics"):
        return _meanings(name[:-1])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# ---- memory ----

class Array:
    """Memory of a device, elements of one type (a letter of the module array, or a numpy dtype). Freed with the object."""

    def __init__(self, device: Device, count: int, dtype: Any) -> None:
        self._device, self._address = device, None
        self.count, self.dtype = int(count), dtype
        self.itemsize = _np.dtype(dtype).itemsize if _np is not None else _array.array(dtype).itemsize
        self.nbytes, self.shape = self.count * self.itemsize, (self.count,)
        address = _U64()
        _call("malloc", device._open(), max(self.nbytes, 1), _c.byref(address))
        self._address = address.value

    @property
    def address(self) -> int:
        """Device address, for kernels that take pointers inside structures."""
        return self._address

    def write(self, values: Any) -> None:
        """Fills it: a numpy array, anything with a buffer, or a sequence of numbers."""
        if _np is not None:
            data = _np.ascontiguousarray(values, dtype=self.dtype)
        else:
            data = values if isinstance(values, (bytes, bytearray, _array.array)) else _array.array(self.dtype, values)
        view = memoryview(data).cast("B")
        if view.nbytes != self.nbytes:
            raise ValueError(f"{view.nbytes} bytes do not fill an array of {self.nbytes}")
        buffer = (_c.c_char * view.nbytes).from_buffer_copy(view) if view.nbytes else None
        if buffer is not None:
            _call("write", self._device._open(), self._address, buffer, self.nbytes)

    def read(self) -> Any:
        """A numpy array in the shape that it was made with; without numpy an array.array."""
        buffer = (_c.c_char * max(self.nbytes, 1))()
        if self.nbytes:
            _call("read", self._device._open(), buffer, self._address, self.nbytes)
        raw = bytes(buffer)[:self.nbytes]
        if _np is not None:
            return _np.frombuffer(raw, dtype=self.dtype).reshape(self.shape).copy()
        values = _array.array(self.dtype)
        values.frombytes(raw)
        return values

    def tolist(self) -> list:
        return self.read().tolist()

    def __array__(self, dtype=None, copy=None):
        return self.read() if dtype is None else self.read().astype(dtype)

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"<array of {self.count} {self.dtype} at {self._address:#x} on {self._device.name}>"

    def __del__(self):
        if self._address is not None and self._device._handle is not None:
            _lib.warpwatt_free(self._device._handle, self._address, None)


# ---- kernels ----

def _extent(value):
    parts = [value] if not isinstance(value, collections.abc.Sequence) else list(value)
    if not 1 <= len(parts) <= 3:
        raise ValueError("a grid or block has one to three dimensions")
    return _U32x3(*(int(part) for part in parts + [1] * (3 - len(parts))))


def _scalar(value, size, floats, kernel, index):
    """Bytes of a number for a parameter of that size; floats: PTX declares it as a number in floating point."""
    if floats and isinstance(value, int):
        value = float(value)
    if _np is not None and isinstance(value, _np.generic):
        raw = value.tobytes()
        if len(raw) != size:
            raise TypeError(f"{kernel}: parameter {index} has {size} bytes, {value.dtype} has {len(raw)}")
        if floats and value.dtype.kind != "f":
            raise TypeError(f"{kernel}: parameter {index} is an f{8 * size}, not {value.dtype}")
        return raw
    if isinstance(value, (bytes, bytearray)):
        if len(value) != size:
            raise TypeError(f"{kernel}: parameter {index} has {size} bytes, {len(value)} were given")
        return bytes(value)
    if isinstance(value, float):
        if size not in (4, 8):
            raise TypeError(f"{kernel}: parameter {index} has {size} bytes and cannot be a float")
        return bytes((_c.c_float if size == 4 else _c.c_double)(value))
    if isinstance(value, int):
        try:
            return value.to_bytes(size, "little", signed=value < 0)
        except OverflowError:
            raise TypeError(f"{kernel}: {value} does not fit parameter {index} of {size} bytes") from None
    raise TypeError(f"{kernel}: parameter {index} cannot be of type {type(value).__name__}; memory is an array.array, a numpy array or what Device.array(values, type) gives")


class Kernel:
    """A kernel of a module: kernel[grid, block](arguments) or kernel[grid, block, shared_bytes](arguments) runs it.

    Arguments are numbers, Arrays, and arrays of numpy or of the module array, which are copied to the device before the launch and back after it. A Python
    float is an f32 or f64 as the parameter is long; numpy scalars say themselves what they are."""

    def __init__(self, module: Module, name: str) -> None:
        info = _Kernel()
        _call("kernel_info", module._device._open(), module._handle, name.encode(), _c.byref(info))
        self._module, self.name = module, name
        self.registers, self.shared_bytes = info.registers, info.shared_bytes
        self.local_bytes, self.max_threads = info.local_bytes, info.max_threads
        self._sizes = [self._param(i) for i in range(info.param_count)]
        self._floats = [self._param_floats(i) for i in range(info.param_count)]
        self._elements = {}

    def _param(self, index):
        size = _Z()
        _call("kernel_param", self._module._device._open(), self._module._handle, self.name.encode(), index, _c.byref(size))
        return size.value

    def _param_floats(self, index):
        floats = _c.c_int()
        _call("kernel_param_floats", self._module._device._open(), self._module._handle, self.name.encode(), index,
              _c.byref(floats))
        return bool(floats.value)

    def _param_elements(self, index):
        if index not in self._elements:
            bits, floats = _c.c_uint32(), _c.c_int()
            _call("kernel_param_elements", self._module._device._open(), self._module._handle, self.name.encode(), index,
                  _c.byref(bits), _c.byref(floats))
            self._elements[index] = bits.value, bool(floats.value)
        return self._elements[index]

    def _warn_of_floats(self, index, array):
        """Of numbers in floating point that the kernel takes for shorter or longer ones: numpy's own are float64."""
        dtype = _np.dtype(array.dtype) if _np is not None else None
        name = dtype.name if dtype is not None else {"f": "float32", "d": "float64"}.get(array.dtype, "")
        if not name.startswith("float"):
            return
        bits, floats = self._param_elements(index)
        if bits not in (0, 8 * array.itemsize) and (floats or (bits, array.itemsize) == (32, 8)):
            _warnings.warn(f"{self.name}: parameter {index} is an array of {name}, and what the kernel reads and writes there is "
                           f"{'f' if floats else 'b'}{bits}", stacklevel=4)

    def __repr__(self):
        sizes = ", ".join(f"{'f' if floats else 'b'}{8 * size}" for size, floats in zip(self._sizes, self._floats))
        return f"<kernel {self.name}({sizes}): {self.registers} registers, {self.shared_bytes} B shared>"

    def __getitem__(self, geometry: tuple) -> Callable[..., Result]:
        grid, block, *shared = geometry
        return lambda *arguments: self.launch(grid, block, *arguments, shared=shared[0] if shared else 0)

    def launch(self, grid: int | Sequence[int], block: int | Sequence[int], *arguments: Any, shared: int = 0) -> Result:
        """Runs the kernel and returns its Result."""
        device = self._module._device
        if len(arguments) != len(self._sizes):
            raise TypeError(f"{self.name} takes {len(self._sizes)} parameters, {len(arguments)} were given")
        back, raw = [], []
        for i, (argument, size, floats) in enumerate(zip(arguments, self._sizes, self._floats)):
            if isinstance(argument, _array.array) or _np is not None and isinstance(argument, _np.ndarray):
                copy = device.array(argument)
                back.append((argument, copy))
                argument = copy
            if isinstance(argument, Array) and (floats or size != 8):
                raise TypeError(f"{self.name}: parameter {i} is no pointer")
            if isinstance(argument, Array):
                self._warn_of_floats(i, argument)
            raw.append(_scalar(argument.address if isinstance(argument, Array) else argument, size, floats, self.name, i))
        buffers = [_c.create_string_buffer(part, len(part)) for part in raw]
        pointers = (_V * max(len(buffers), 1))(*(_c.addressof(buffer) for buffer in buffers))
        device._call_long("launch", self._module._handle, self.name.encode(), _extent(grid), _extent(block), shared, pointers,
              len(buffers))
        for original, copy in back:
            if isinstance(original, _array.array):
                original[:] = _array.array(original.typecode, copy.read().tobytes())
            elif original.flags.writeable:
                original[...] = copy.read()
        return device.results[-1]


class Module:
    """A loaded PTX file; its kernels are attributes, or items where the name is no Python name."""

    def __init__(self, device, handle, name):
        self._device, self._handle, self._kernels, self._name = device, handle, {}, name

    def __repr__(self):
        return f"<module {self._name} on {self._device.name}>"

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            self._kernels[name] = Kernel(self, name)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except Error as error:
            raise AttributeError(str(error)) from None


# ---- results ----

class Result:
    """What one launch came to, or all: see the fields of warpwatt_result; power, counters and metrics by name."""

    kernel: str
    workload: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    registers: int
    shared_bytes: int
    ctas_per_sm: int
    cycles: int
    warp_instructions: int
    time_s: float
    energy_j: float
    dynamic_w: float
    static_w: float
    total_w: float
    uncertainty_j: float

    def __init__(self, device, index):
        self._device, self._index = device, index
        r = _Result(size=_c.sizeof(_Result))
        _call("result_at", device._open(), index, _c.byref(r))
        self.kernel, self.workload = r.kernel.decode(), r.workload.decode()
        self.grid, self.block = tuple(r.grid), tuple(r.block)
        for name, _ in _Result._fields_[5:]:
            setattr(self, name, getattr(r, name))

    def component(self, name: str) -> dict[str, float]:
        """event_j, background_j, leakage_j, dynamic_w, total_w and share of a component, as a dict."""
        p = _Power()
        _call("power_at", self._device._open(), self._index, _names("component").index(name), _c.byref(p))
        return {field: getattr(p, field) for field, _ in _Power._fields_}

    @property
    def power(self) -> dict[str, float]:
        """Power of each component without leakage, and leakage of the whole die as "static" [W]: as `warpwatt run` prints them.
        component(name)["total_w"] is with the component's own leakage."""
        parts = {name: self.component(name)["dynamic_w"] for name in _names("component")}
        return {**parts, "static": self.static_w}

    @property
    def energy(self) -> dict[str, float]:
        """Energy of each component without leakage, and leakage of the whole die as "static" [J]."""
        parts = {name: self.component(name) for name in _names("component")}
        energies = {name: p["event_j"] + p["background_j"] for name, p in parts.items()}
        return {**energies, "static": sum(p["leakage_j"] for p in parts.values())}

    def counter(self, name: str) -> int:
        value = _U64()
        _call("counter_at", self._device._open(), self._index, name.encode(), _c.byref(value))
        return value.value

    @property
    def counters(self) -> dict[str, int]:
        return {name: self.counter(name) for name in _names("counter")}

    @property
    def metrics(self) -> dict[str, float]:
        """The nine workload metrics; NaN where one is undefined."""
        found, value = {}, _c.c_double()
        for i, name in enumerate(_names("metric")):
            _call("metric_at", self._device._open(), self._index, i, _c.byref(value))
            found[name] = value.value
        return found

    def row(self) -> dict[str, Any]:
        """Geometry, cycles, energy, powers of components and metrics in one dict: a row of Device.frame."""
        fields = {"workload": self.workload, "kernel": self.kernel}
        fields.update({name: getattr(self, name) for name, _ in _Result._fields_[5:]})
        fields.update(self.metrics)
        fields.update({name + "_w": value for name, value in self.power.items()})
        return fields

    def __repr__(self):
        return f"<{self.kernel or 'all launches'}: {self.cycles} cycles, {self.energy_j:.4g} J, {self.total_w:.4g} W>"


class _Results(collections.abc.Sequence):
    def __init__(self, device):
        self._device = device

    def __len__(self):
        return _lib.warpwatt_result_count(self._device._open())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [Result(self._device, i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError("there is no such launch")
        return Result(self._device, index % len(self))


# ---- devices ----

class Device:
    """A GPU: a name of `warpwatt list gpus`, or a path of an XML file. Keywords are the options of `warpwatt run`: settings (a
    dict, or a list of "key=value"), mech, threads, isa ("lowered", "gt200" or "ptx"), functional, memcheck, interval, max_cycles,
    max_instructions; and print, a function that takes what kernels print. governor, a function that is given each interval as a
    dict (cycles, seconds, power_w, component_j, clock_hz, temperature_k, lowest_hz, highest_hz, step_hz, …) and returns the core
    clock in Hz from then on; heat, how many intervals like it each stands for while the die's temperature follows its power."""

    def __init__(self, gpu: str | _os.PathLike, settings: Mapping[str, Any] | Sequence[str] | None = None, mech: str | None = None,
                 threads: int = 1, isa: str = "lowered", functional: bool = False, memcheck: bool = False, interval: int = 0,
                 max_cycles: int = 0, max_instructions: int = 0, print: Callable[[str], Any] | None = None,
                 governor: Callable[[dict[str, Any]], float] | None = None, heat: float = 0) -> None:
        self._handle, self._raised = None, []
        if isa not in ("lowered", "gt200", "ptx"):
            raise ValueError("isa is 'lowered', 'gt200' or 'ptx'")
        if isinstance(settings, collections.abc.Mapping):
            settings = [f"{key}={value}" for key, value in settings.items()]
        texts = [text.encode() for text in settings or []]
        self._print = _PRINT(lambda _, text, n: print(text[:n].decode(errors="replace"))) if print is not None else _PRINT()
        options = _Options(size=_c.sizeof(_Options), settings=(_S * max(len(texts), 1))(*texts), setting_count=len(texts),
                           mechanisms=mech.encode() if mech else None, threads=threads, ptx_stream={"lowered": 0, "ptx": 1, "gt200": 2}[isa],
                           functional=bool(functional), memcheck=bool(memcheck), interval_cycles=interval,
                           max_cycles=max_cycles, max_instructions=max_instructions, print=self._print,
                           governor=self._governor(governor), heat_times=heat)
        handle = _V()
        _call("open", _os.fspath(gpu).encode(), _c.byref(options), _c.byref(handle))
        self._handle, self.name = handle, _os.fspath(gpu)
        self.results = _Results(self)

    def _governor(self, function):
        def ask(_, interval):
            try:
                told = {name: getattr(interval[0], name) for name, _ in _Interval._fields_[1:] if name != "component_j"}
                names = _names("component")
                told["component_j"] = dict(zip(names, interval[0].component_j[:len(names)]))
                return float(function(told))
            except BaseException as error:  # the launch fails of the clock, and the caller is told of this
                self._raised.append(error)
                return float("nan")

        self._asked = _GOVERNOR(ask) if function is not None else _GOVERNOR()
        return self._asked

    def _call_long(self, name, *arguments):
        try:
            _call_long(self._open(), name, *arguments)
        except Error:
            raised, self._raised = self._raised, []
            if raised:
                raise raised[0]
            raise

    def __repr__(self):
        state = "closed" if self._handle is None else f"{len(self.results)} launches"
        return f"<device {self.name}: {state}>"

    def _open(self):
        if self._handle is None:
            raise ValueError("the device is closed")
        return self._handle

    def close(self) -> None:
        """Releases its memory, modules and results."""
        if self._handle is not None:
            _lib.warpwatt_close(self._handle)
            self._handle = None

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def parameter(self, key: str) -> str:
        """A parameter's value as text in SI units."""
        value = _lib.warpwatt_parameter(self._open(), key.encode())
        if value is None:
            raise KeyError(key)
        return value.decode()

    def array(self, values: Any, dtype: Any = None) -> Array:
        """An Array that holds the values: a numpy array, or a sequence of numbers of a type."""
        if _np is not None:
            values = _np.asarray(values, dtype=dtype)
            made = Array(self, values.size, values.dtype)
            made.shape = values.shape
        else:
            if not isinstance(values, _array.array):
                if dtype is None:
                    raise TypeError("without numpy, a sequence needs a type: array(values, 'f')")
                values = _array.array(dtype, values)
            made = Array(self, len(values), values.typecode)
        made.write(values)
        return made

    def zeros(self, count: int, dtype: Any = "f") -> Array:
        """An Array of zeros."""
        return Array(self, count, _np.dtype(dtype) if _np is not None else dtype)

    def load(self, path: str | _os.PathLike) -> Module:
        """A Module of a PTX file."""
        handle = _V()
        _call("load_file", self._open(), _os.fspath(path).encode(), _c.byref(handle))
        return Module(self, handle, _os.fspath(path))

    def load_text(self, text: str, name: str = "text") -> Module:
        """A Module of PTX text."""
        handle, raw = _V(), text.encode()
        _call("load", self._open(), name.encode(), raw, len(raw), _c.byref(handle))
        return Module(self, handle, name)

    def run(self, workload: str) -> list[Result]:
        """Runs a workload that ships with WarpWatt ("bfs", "bfs:small"), checks its results, and returns its launches."""
        before = len(self.results)
        self._call_long("run_workload", workload.encode())
        return self.results[before:]

    @property
    def total(self) -> Result:
        """All launches together, as a Result."""
        return Result(self, _ALL)

    @property
    def static_w(self) -> float:
        value = _c.c_double()
        _call("chip", self._open(), None, _c.byref(value))
        return value.value

    @property
    def area_m2(self) -> float:
        value = _c.c_double()
        _call("chip", self._open(), _c.byref(value), None)
        return value.value

    def clear(self) -> None:
        """Forgets the results so far."""
        _lib.warpwatt_result_clear(self._open())

    def frame(self) -> Any:
        """A row per launch: a pandas.DataFrame, or without pandas a list of dicts."""
        return _frame([result.row() for result in self.results])

    def export(self, folder: str | _os.PathLike, replace: bool = False) -> None:
        """Writes the result files of `warpwatt run --out`, for `warpwatt report` and `warpwatt analyze`."""
        _call("export", self._open(), _os.fspath(folder).encode(), bool(replace))


# ---- results of others ----

def _frame(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def frame(folder: str | _os.PathLike) -> Any:
    """A row per launch of a result folder of `warpwatt run`, of a configuration of a sweep, or of a whole sweep: a
    pandas.DataFrame, or without pandas a list of dicts. Columns: configuration (of a sweep), gpu, each parameter in which
    configurations of one GPU differ, workload, its size, and what Device.frame has. Runs of a sweep that have no result yet are
    left out, with a warning; damaged and interrupted results are Errors."""
    from . import _results

    return _frame(_results.rows(_pathlib.Path(folder)))
