// nvml.cuh - energy, clocks, temperature and throttle reasons by NVML, whose library is loaded at run time: nothing is needed to build.
#ifndef WARPWATT_MEASURE_NVML_H
#define WARPWATT_MEASURE_NVML_H

#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <thread>

// Two readings of the counter, and the card in between.
struct Reading {
    unsigned long long from_mj = 0, to_mj = 0; // millijoules since the driver was loaded
    std::chrono::steady_clock::time_point from, to;
    unsigned core_mhz = 0, memory_mhz = 0, celsius = 0;
    unsigned long long throttle = 0;

    double seconds() const { return std::chrono::duration<double>(to - from).count(); }
    double watts() const { return double(to_mj - from_mj) * 1e-3 / seconds(); }
    // The counter moves about every 100 ms; boards agree with a meter to some 3 %.
    double sigma() const { return std::sqrt(0.03 * 0.03 + std::pow(0.1 / seconds(), 2)); }
};

class Nvml {
  public:
    bool open()
    {
        void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        if (library == nullptr) {
            why_ = "no libnvidia-ml.so.1, which comes with the driver";
            return false;
        }
        int (*init)() = nullptr;
        int (*handle)(unsigned, void **) = nullptr;
        const bool found = find(library, "nvmlInit_v2", init) && find(library, "nvmlDeviceGetHandleByIndex_v2", handle) &&
                           find(library, "nvmlDeviceGetTotalEnergyConsumption", energy_) &&
                           find(library, "nvmlDeviceGetClockInfo", clock_) && find(library, "nvmlDeviceGetTemperature", temperature_);
        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", throttle_);
        if (!found || init() != 0 || handle(0, &device_) != 0) {
            why_ = "the library does not work, or lacks a call";
            return false;
        }
        return true;
    }
    bool begin(Reading *r) const
    {
        *r = Reading();
        look(r);
        r->from = std::chrono::steady_clock::now();
        return read(&r->from_mj);
    }
    // Clocks and temperature while it runs.
    void look(Reading *r) const
    {
        enum { GRAPHICS = 0, MEMORY = 2, CORE_SENSOR = 0 };
        clock_(device_, GRAPHICS, &r->core_mhz);
        clock_(device_, MEMORY, &r->memory_mhz);
        temperature_(device_, CORE_SENSOR, &r->celsius);
        if (throttle_ != nullptr) {
            throttle_(device_, &r->throttle);
        }
    }
    bool end(Reading *r) const
    {
        r->to = std::chrono::steady_clock::now();
        return read(&r->to_mj);
    }
    bool wait(double seconds) const
    {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return true;
    }
    const char *why() const { return why_; }

  private:
    template <typename F> static bool find(void *library, const char *name, F &out)
    {
        out = reinterpret_cast<F>(dlsym(library, name));
        return out != nullptr;
    }
    bool read(unsigned long long *mj) const
    {
        const int code = energy_(device_, mj);
        why_ = code != 0 ? "no energy counter (boards from Volta on have one)" : "";
        return code == 0;
    }
    void *device_ = nullptr;
    int (*energy_)(void *, unsigned long long *) = nullptr;
    int (*clock_)(void *, int, unsigned *) = nullptr;
    int (*temperature_)(void *, int, unsigned *) = nullptr;
    int (*throttle_)(void *, unsigned long long *) = nullptr;
    mutable const char *why_ = "";
};

#endif
