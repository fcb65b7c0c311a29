// buffer_pool.hpp: memory for large tensors of data points, used again.
//
// A batch of pictures takes tens of megabytes. Memory of this size comes fresh from the operating
// system each time, which clears it page by page; that costs more than to fill it.
#pragma once
#include <cstddef>

namespace broch::runtime {

// Memory of at least this size comes from the pool.
constexpr size_t kPooledBytes = size_t{1} << 20;

// Not initialized; aligned for every type. Throws std::bad_alloc. Any thread.
void* take_buffer(size_t bytes);
// bytes: as passed to take_buffer. Any thread.
void give_back_buffer(void* memory, size_t bytes) noexcept;

}  // namespace broch::runtime
