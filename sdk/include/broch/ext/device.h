/* ext/device.h: which devices there are, and what they have and hold. Seed terms:
 * GPUMemoryTracker, PeakMemoryTracker, HostMemoryTracker (3.12).
 *
 * Devices are DLPack's: BROCH_DL_CPU (one, whatever the index) and BROCH_DL_CUDA. A number that a
 * device does not tell is -1. */
#ifndef BROCH_EXT_DEVICE_H
#define BROCH_EXT_DEVICE_H

#include "../dlpack.h"
#include "../host.h"

BROCH_C_BEGIN

#define BROCH_EXT_DEVICE "broch.device/1"

typedef struct broch_device_info {
  uint32_t struct_size; /* set by the caller */
  int32_t major, minor; /* compute capability of a CUDA device; 0 of others */
  uint32_t reserved;
  int64_t total;   /* bytes of memory */
  char name[128];  /* "NVIDIA H200"; "" when it has none */
} broch_device_info;

typedef struct broch_device_memory {
  uint32_t struct_size; /* set by the caller */
  uint32_t reserved;
  int64_t free; /* bytes that nobody uses, of all programs */
  int64_t used; /* CUDA: that tensors of this process have now. CPU: that this process holds */
  int64_t peak; /* the most that used was, since the start or the last reset_peak */
} broch_device_memory;

typedef struct broch_device_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Number of devices of a type (BROCH_DL_…); 0 for those that this host cannot use. The first
   * question about CUDA loads its libraries. [any] */
  broch_status (*count)(const broch_host* host, int32_t type, uint32_t* count /* out */);

  /* NOT_FOUND, saying why, when there is no such device. [any] */
  broch_status (*info)(const broch_host* host, broch_dl_device device,
                       broch_device_info* info /* in: struct_size, out */);
  broch_status (*memory)(const broch_host* host, broch_dl_device device,
                         broch_device_memory* memory /* in: struct_size, out */);

  /* Counts peak anew, for everybody. Where the system does not allow it for the CPU, peak stays what
   * it was. [any] */
  broch_status (*reset_peak)(const broch_host* host, broch_dl_device device);

  /* Waits until a device has done what it was given, for measuring times. [any] */
  broch_status (*synchronize)(const broch_host* host, broch_dl_device device);
} broch_device_ext;

BROCH_C_END

#endif
