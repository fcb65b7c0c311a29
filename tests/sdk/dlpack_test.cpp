// dlpack_test.cpp: our copy of DLPack's structs against the one that LibTorch was built with.
#include <ATen/dlpack.h>
#include <broch/dlpack.h>

#include <cstddef>

#define SAME(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_AT(ours, theirs, member) \
  static_assert(offsetof(ours, member) == offsetof(theirs, member), #ours "." #member)

SAME(broch_dl_version, DLPackVersion);
SAME_AT(broch_dl_version, DLPackVersion, minor);
SAME(broch_dl_device, DLDevice);
SAME_AT(broch_dl_device, DLDevice, device_id);
SAME(broch_dl_type, DLDataType);
SAME_AT(broch_dl_type, DLDataType, bits);
SAME_AT(broch_dl_type, DLDataType, lanes);
SAME(broch_dl_tensor, DLTensor);
SAME_AT(broch_dl_tensor, DLTensor, device);
SAME_AT(broch_dl_tensor, DLTensor, ndim);
SAME_AT(broch_dl_tensor, DLTensor, dtype);
SAME_AT(broch_dl_tensor, DLTensor, shape);
SAME_AT(broch_dl_tensor, DLTensor, strides);
SAME_AT(broch_dl_tensor, DLTensor, byte_offset);
SAME(broch_dl_managed, DLManagedTensorVersioned);
SAME_AT(broch_dl_managed, DLManagedTensorVersioned, manager_ctx);
SAME_AT(broch_dl_managed, DLManagedTensorVersioned, deleter);
SAME_AT(broch_dl_managed, DLManagedTensorVersioned, flags);
SAME_AT(broch_dl_managed, DLManagedTensorVersioned, dl_tensor);

static_assert(int(BROCH_DL_CPU) == int(kDLCPU));
static_assert(int(BROCH_DL_CUDA) == int(kDLCUDA));
static_assert(int(BROCH_DL_CUDA_HOST) == int(kDLCUDAHost));
static_assert(int(BROCH_DL_INT) == int(kDLInt));
static_assert(int(BROCH_DL_UINT) == int(kDLUInt));
static_assert(int(BROCH_DL_FLOAT) == int(kDLFloat));
static_assert(int(BROCH_DL_BFLOAT) == int(kDLBfloat));
static_assert(int(BROCH_DL_COMPLEX) == int(kDLComplex));
static_assert(int(BROCH_DL_BOOL) == int(kDLBool));
static_assert(BROCH_DL_READ_ONLY == DLPACK_FLAG_BITMASK_READ_ONLY);
static_assert(BROCH_DL_IS_COPIED == DLPACK_FLAG_BITMASK_IS_COPIED);
