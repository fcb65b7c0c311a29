// memory.hpp: memory of simulated devices.
#pragma once
#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <cstdint>

namespace broch::simulated {

// The allocator of the current device. Memory is filled with bytes 0xff when it is allocated and
// when it is freed.
c10::Allocator* device_allocator();

// Where the bytes of an address of a device are.
void* host_address(const void* device_address);

// Memory belongs to the stream on which it was allocated. `may_use`: it is used on that stream or
// on one that was announced.
void announce_use(const void* device_address, c10::StreamId stream);
bool may_use(const void* device_address, c10::StreamId stream);

int64_t bytes_in_use(c10::DeviceIndex device);
int64_t most_bytes_in_use(c10::DeviceIndex device);
void reset_most_bytes(c10::DeviceIndex device);

}  // namespace broch::simulated
