"""Result folders of the program as rows: behind warpwatt.frame."""

from __future__ import annotations

import csv
import json
import pathlib
import warnings
from typing import Any, Iterator

import warpwatt


def _number(text: str) -> Any:
    """A number where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _table(path: pathlib.Path) -> Iterator[dict[str, str]]:
    """Rows of a CSV file by the names of its columns, without their units."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        names = [name.split(" [")[0] for name in next(reader)]
        for row in reader:
            yield dict(zip(names, row))


def _extent(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("x"))


def _powers(folder: pathlib.Path) -> dict[tuple[str, str, str], dict[str, float]]:
    """Of each launch what Result.row says of its energy; empty of a functional run."""
    launches: dict[tuple[str, str, str], dict[str, float]] = {}
    path = folder / "power.csv"
    for row in _table(path) if path.exists() else ():
        launch = launches.setdefault((row["workload"], row["kernel"], row["launch"]), {})
        if row["component"] != "TOTAL":
            launch[row["component"] + "_w"] = float(row["dynamic_power"])
            continue
        energy_j = sum(float(row[part + "_energy"]) for part in ("event", "background", "leakage"))
        total_w, dynamic_w = float(row["total_power"]), float(row["dynamic_power"])
        launch.update(energy_j=energy_j, dynamic_w=dynamic_w, static_w=total_w - dynamic_w, total_w=total_w,
                      uncertainty_j=float(row["uncertainty"]) * energy_j / total_w)
    return launches


def _launches(folder: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Rows of one result folder."""
    warpwatt._call("result_check", str(folder).encode())
    powers = _powers(folder)
    missing = float("nan")
    for row in _table(folder / "kernels.csv"):
        power = powers.get((row["workload"], row["kernel"], row["launch"]), {})
        fields = {"workload": row["workload"], "size": row["size"], "kernel": row["kernel"], "launch": int(row["launch"]),
                  "grid": _extent(row["grid"]), "block": _extent(row["block"]), "registers": int(row["registers"]),
                  "shared_bytes": int(row["shared"]), "ctas_per_sm": int(row["ctas_per_sm"]),
                  "cycles": int(row["cycles"]) if row["cycles"] else missing,
                  "warp_instructions": int(row["warp_instructions"]), "time_s": float(row["time"]) if row["time"] else missing}
        for name in ("energy_j", "dynamic_w", "static_w", "total_w", "uncertainty_j"):
            fields[name] = power.get(name, missing)
        fields.update({name: float(row[name]) if row[name] else missing for name in warpwatt.metrics})
        none = 0.0 if power else missing  # a component that the machine has not, as Result.power
        yield {**fields, **{name + "_w": power.get(name + "_w", none) for name in warpwatt.components}}


def _machine(folder: pathlib.Path) -> dict[str, str]:
    with open(folder / "run.json", encoding="utf-8") as file:
        run = json.load(file)
    return {"gpu": run["gpu"], **{p["key"]: p["value"] for p in run["parameters"]}}


def _runs(folder: pathlib.Path) -> list[tuple[str | None, pathlib.Path]]:
    """The results in a folder with their configurations: its own, those of a configuration, those of a sweep."""
    if (folder / "kernels.csv").exists():
        return [(None, folder)]
    found = [(None, path.parent) for path in sorted(folder.glob("*/kernels.csv"))]
    if not found:
        found = [(path.parent.parent.name, path.parent) for path in sorted(folder.glob("*/*/kernels.csv"))]
        logs = folder / "logs"
        waiting = {log.stem for log in logs.glob("*@*.log")} - {f"{name}@{path.name}" for name, path in found}
        if waiting:
            warnings.warn(f"{folder}: {len(waiting)} runs have no result, {sorted(waiting)[0]} among them", stacklevel=5)
    if not found:
        raise warpwatt.Error(6, f"{folder} holds no result, nor does a folder in it")
    return found


def _differing(machines: list[dict[str, str]]) -> list[str]:
    """Parameters that tell machines of one GPU apart, in their order."""
    first: dict[str, dict[str, str]] = {}
    keys: dict[str, None] = {}
    for machine in machines:
        base = first.setdefault(machine["gpu"], machine)
        keys.update({key: None for key in {**base, **machine} if base.get(key) != machine.get(key)})
    return list(keys)


def rows(folder: pathlib.Path) -> list[dict[str, Any]]:
    runs = _runs(folder)
    machines = [_machine(path) for _, path in runs]
    keys = _differing(machines)
    result = []
    for (configuration, path), machine in zip(runs, machines):
        head = {} if configuration is None else {"configuration": configuration}
        head.update(gpu=machine["gpu"], **{key: _number(machine.get(key, "")) for key in keys})
        result += [{**head, **launch} for launch in _launches(path)]
    return result
