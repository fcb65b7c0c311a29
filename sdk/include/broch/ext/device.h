/* ext/device.h: which devices there are, and how much memory they have and use. tensorpack:
 * `GPUMemoryTracker`, `PeakMemoryTracker`, `HostMemoryTracker`.
 *
 * Device types are those of DLPack: BROCH_DL_CPU (there is one, with any index) and BROCH_DL_CUDA.
 * A number that the device does not provide is -1. */
#ifndef BROCH_EXT_DEVICE_H
#define BROCH_EXT_DEVICE_H

#include "../dlpack.h"
#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_DEVICE "broch.device/1"

typedef struct broch_device_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t reserved;
  char name[128];       /* "NVIDIA H200"; "" if it has no name */
  int32_t major, minor; /* compute capability of a CUDA device; otherwise 0 */
  int64_t total;        /* memory, in bytes */
} broch_device_info;

typedef struct broch_device_memory {
  uint32_t struct_size; /* set by the caller */
  uint32_t reserved;
  int64_t free; /* bytes that no program uses; -1: the run does not use this device */
  int64_t used; /* CUDA: bytes of all tensors of this process. CPU: of the process */
  int64_t peak; /* the maximum of used since the start or the last reset_peak */
} broch_device_memory;

typedef struct broch_host_device {
  uint32_t struct_size;
  uint32_t reserved;

  /* The number of devices of a type (BROCH_DL_…); 0 if this host cannot use that type. The first
   * question about CUDA loads its libraries. [any] */
  broch_status (*count)(const broch_host* host, int32_t type, uint32_t* count /* out */);

  /* What it is, and how its memory is used now. NOT_FOUND: no such device; the message says why.
   * [any] */
  broch_status (*info)(const broch_host* host, broch_dl_device device,
                       broch_device_info* info /* in: struct_size, out */);
  broch_status (*memory)(const broch_host* host, broch_dl_device device,
                         broch_device_memory* memory /* in: struct_size, out */);

  /* Starts a new measurement of peak, for all instances. For the CPU, peak stays as it is if the
   * system does not allow it. [any] */
  broch_status (*reset_peak)(const broch_host* host, broch_dl_device device);

  /* Waits until the device has finished all work it was given; needed when measuring times.
   * [any] */
  broch_status (*synchronize)(const broch_host* host, broch_dl_device device);
} broch_host_device;

BROCH_C_END

#endif
