/* ext/torch_cxx.h: the at::Tensor behind a handle, for C++ plugins that are built with exactly the
 * LibTorch that the host runs on. Use it through cpp/torch.hpp; broch_add_plugin(name … TORCH)
 * builds such a plugin. It has to be rebuilt for every build of LibTorch; plugins that use
 * ext/ops.h do not.
 *
 * The id of the extension is BROCH_EXT_TORCH_CXX followed by a tag, which must be the same on both
 * sides; otherwise the extension does not exist:
 *
 *   2.11.0-274ade0e6dcd7e46eea36c8a266340f254d817a4-cxx11
 *
 * The tag consists of TORCH_VERSION of the headers (class layouts, inline code), the GNU build-id
 * of libtorch_cpu.so (the exact binary of that version, so also with or without CUDA) and the kind
 * of strings of libstdc++. The metadata contains the same tag under "torch", so that a library with
 * another tag is refused before it is loaded. The library finds LibTorch, which is already loaded,
 * by its soname and needs no search path. It may depend on libtorch_cpu.so and libc10.so, and on
 * nothing else that is not loaded yet.
 *
 * Such code calls operators of LibTorch in tower functions. They are differentiated, recorded and
 * compared with the eager step like those of ext/ops.h, with these rules:
 *  - The numbers of random operators depend on tower, call site and run, as with ext/ops.h. An
 *    operator that is given a generator of its own keeps the tower eager, and its numbers are not
 *    part of any checkpoint.
 *  - Do not write to tensors of the host: an operator that writes to a variable or an input ends
 *    the run when the function returns.
 *  - item() and shapes that depend on values keep the tower eager. Access memory (data_ptr) only in
 *    operators that the plugin registers with TORCH_LIBRARY, and in kernels (ext/kernel.h).
 *    Elsewhere the host does not see it: a number that is read like this becomes a constant of the
 *    recording, and the tower stays eager after the comparison with an eager step on other data.
 *  - A tensor from elsewhere (from_blob, or kept from another call) keeps the tower eager. Make
 *    constants with operators (at::full) or with constant of ext/tower.h. */
#ifndef BROCH_EXT_TORCH_CXX_H
#define BROCH_EXT_TORCH_CXX_H

#include "../host.h"
#include "../value.h"

BROCH_C_BEGIN

#define BROCH_EXT_TORCH_CXX "broch.torch_cxx/"

/* The last part of the tag of this translation unit. */
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define BROCH_TORCH_STRINGS "cxx11"
#else
#define BROCH_TORCH_STRINGS "cxx98"
#endif

typedef struct broch_host_torch_cxx {
  uint32_t struct_size;
  uint32_t reserved;

  /* The c10::TensorImpl of a tensor, with one reference that the caller owns; NULL for handle 0.
   * Inside a tower function, the tensor must belong to this call. [any] */
  broch_status (*get)(const broch_host* host, broch_tensor tensor, void** impl /* out */);

  /* A borrowed handle of this call for a c10::TensorImpl, to which it adds a reference of its own;
   * 0 for NULL. Inside a tower function, the tensor counts as computed from everything that get has
   * returned in this call so far. [any] */
  broch_status (*put)(const broch_host* host, void* impl, broch_tensor* tensor /* out */);
} broch_host_torch_cxx;

BROCH_C_END

#endif
