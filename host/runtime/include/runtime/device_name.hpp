// device_name.hpp: the names that manifests and plans give to devices.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/tensor.hpp"

namespace broch::runtime {

// "cpu", "cpu:N", "cuda", "cuda:N", "auto" and "auto:N", N from 0 to 4095. Otherwise throws
// base::Error (Exit::manifest).
void require_device_name(const std::string& text);

// The device of that name. "cuda" is the GPU with the number local_rank, this process's number on
// the machine. "auto" stands for cuda if has_gpu() says so, and for cpu otherwise; only this name
// asks. Throws base::Error (Exit::manifest) if it is no name.
Device named_device(const std::string& text, uint32_t local_rank,
                    const std::function<bool()>& has_gpu);

bool is_auto(const std::string& device_name);

}  // namespace broch::runtime
