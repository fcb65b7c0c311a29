/* ext/torch_cxx.h: the at::Tensor behind a handle, for C++ plugins built against the very LibTorch
 * that the host runs on. cpp/torch.hpp is the way to use it; broch_add_plugin(name … TORCH) builds
 * such a plugin. It must be built again for every build of LibTorch; ext/ops.h has no such tie.
 *
 * The id is BROCH_EXT_TORCH_CXX and a tag, equal on both sides or there is no such extension:
 *
 *   2.11.0-274ade0e6dcd7e46eea36c8a266340f254d817a4-cxx11
 *
 * TORCH_VERSION of the headers that were compiled (layouts, inline code); the GNU build-id of
 * libtorch_cpu.so (which binary of that version, so also with CUDA or without); the strings of
 * libstdc++. The metadata name the same tag under "torch", so that a library of another one is
 * refused before it is loaded. The library finds the loaded LibTorch by its soname and needs no
 * search path; it may need libtorch_cpu.so and libc10.so and nothing else that is not loaded yet.
 *
 * In a tower function such code computes by LibTorch's operators. They are differentiated,
 * recorded and compared with the eager step like those of ext/ops.h, with these rules:
 *  - Random operators draw by tower, site and run, as ext/ops.h's do, unless they are given a
 *    generator; a tower with such a one stays eager and its draws are in no checkpoint.
 *  - What the host gave out is not written to: an operator that writes to a variable or an input
 *    ends the run when the function returns.
 *  - item() and shapes that depend on values keep the tower eager. Memory is touched (data_ptr) in
 *    operators that the plugin registers, with TORCH_LIBRARY, and in kernels (ext/kernel.h) only.
 *    Nobody sees other accesses: a number read like that is a constant of the recording, and
 *    comparison with the eager step on other data makes the tower stay eager.
 *  - A tensor that came from elsewhere (from_blob, one kept from another call) keeps the tower
 *    eager; constants are made by operators (at::full) or by ext/tower.h's constant. */
#ifndef BROCH_EXT_TORCH_CXX_H
#define BROCH_EXT_TORCH_CXX_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_TORCH_CXX "broch.torch-cxx/"

/* The last part of the tag of this translation unit. */
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define BROCH_TORCH_STRINGS "cxx11"
#else
#define BROCH_TORCH_STRINGS "cxx98"
#endif

typedef struct broch_torch_cxx {
  uint32_t struct_size;
  uint32_t reserved;

  /* The c10::TensorImpl of a tensor, with one reference that the caller owns; NULL for 0. Inside a
   * tower function a tensor of this call only. [any] */
  broch_status (*get)(const broch_host* host, broch_tensor tensor, void** impl /* out */);

  /* A handle of this call, borrowed, for a c10::TensorImpl, which gets a reference of its own; 0
   * for NULL. Inside a tower function it counts as computed from everything that this call has
   * got by get so far. [any] */
  broch_status (*put)(const broch_host* host, void* impl, broch_tensor* tensor /* out */);
} broch_torch_cxx;

BROCH_C_END

#endif
