/* layout_test.c: sizes, offsets and numbers that a compiled plugin relies on. Compiled as C and as
 * C++; a difference does not compile. */
#include <assert.h>
#include <broch/broch.h>
#include <stddef.h>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#define AT(type, member, bytes) static_assert(offsetof(type, member) == (bytes), #type "." #member)
#define IS(name, number) static_assert((name) == (number), #name)

/* value.h */
SIZE(broch_value, 16);
AT(broch_value, tag, 0);
AT(broch_value, len, 4);
AT(broch_value, u, 8);
SIZE(broch_writer, 16);
AT(broch_writer, context, 0);
AT(broch_writer, write, 8);
IS(BROCH_TAG_NONE, 0);
IS(BROCH_TAG_TENSOR, 1);
IS(BROCH_TAG_INT, 2);
IS(BROCH_TAG_DOUBLE, 3);
IS(BROCH_TAG_BOOL, 4);
IS(BROCH_TAG_STR, 5);
IS(BROCH_TAG_DTYPE, 6);
IS(BROCH_TAG_INTS, 7);
IS(BROCH_TAG_DOUBLES, 8);
IS(BROCH_TAG_TENSORS, 9);
IS(BROCH_TAG_BOOLS, 10);
IS(BROCH_FLOAT32, 1);
IS(BROCH_FLOAT64, 2);
IS(BROCH_FLOAT16, 3);
IS(BROCH_BFLOAT16, 4);
IS(BROCH_INT8, 5);
IS(BROCH_INT16, 6);
IS(BROCH_INT32, 7);
IS(BROCH_INT64, 8);
IS(BROCH_UINT8, 9);
IS(BROCH_BOOL, 10);
IS(BROCH_COMPLEX64, 11);
IS(BROCH_COMPLEX128, 12);

/* dlpack.h: DLVersion, DLDevice, DLDataType, DLTensor and DLManagedTensorVersioned of DLPack 1.x */
SIZE(broch_dl_version, 8);
AT(broch_dl_version, minor, 4);
SIZE(broch_dl_device, 8);
AT(broch_dl_device, device_id, 4);
SIZE(broch_dl_type, 4);
AT(broch_dl_type, code, 0);
AT(broch_dl_type, bits, 1);
AT(broch_dl_type, lanes, 2);
SIZE(broch_dl_tensor, 48);
AT(broch_dl_tensor, data, 0);
AT(broch_dl_tensor, device, 8);
AT(broch_dl_tensor, ndim, 16);
AT(broch_dl_tensor, dtype, 20);
AT(broch_dl_tensor, shape, 24);
AT(broch_dl_tensor, strides, 32);
AT(broch_dl_tensor, byte_offset, 40);
SIZE(broch_dl_managed, 80);
AT(broch_dl_managed, version, 0);
AT(broch_dl_managed, manager_ctx, 8);
AT(broch_dl_managed, deleter, 16);
AT(broch_dl_managed, flags, 24);
AT(broch_dl_managed, dl_tensor, 32);
IS(BROCH_DL_CPU, 1);
IS(BROCH_DL_CUDA, 2);
IS(BROCH_DL_CUDA_HOST, 3);
IS(BROCH_DL_INT, 0);
IS(BROCH_DL_UINT, 1);
IS(BROCH_DL_FLOAT, 2);
IS(BROCH_DL_BFLOAT, 4);
IS(BROCH_DL_COMPLEX, 5);
IS(BROCH_DL_BOOL, 6);
IS(BROCH_DL_READ_ONLY, 1);
IS(BROCH_DL_IS_COPIED, 2);

/* entry.h: the host reads these from the file, without a compiler's help. */
SIZE(broch_entry, 48);
AT(broch_entry, magic, 0);
AT(broch_entry, struct_size, 4);
AT(broch_entry, abi_major, 8);
AT(broch_entry, abi_minor, 12);
AT(broch_entry, min_host_minor, 16);
AT(broch_entry, flags, 20);
AT(broch_entry, meta_json, 24);
AT(broch_entry, component_count, 32);
AT(broch_entry, components, 40);
SIZE(broch_component, 24);
AT(broch_component, id, 0);
AT(broch_component, role, 8);
AT(broch_component, vtable, 16);
AT(broch_component_vtable, struct_size, 0);
AT(broch_component_vtable, create, 8);
AT(broch_component_vtable, get_interface, 16);
AT(broch_component_vtable, destroy, 24);

/* host.h: four members for ever */
AT(broch_host, struct_size, 0);
AT(broch_host, abi_major, 4);
AT(broch_host, abi_minor, 8);
AT(broch_host, get_extension, 16);
AT(broch_host, fail, 24);
AT(broch_host, last_error, 32);
AT(broch_host, log, 40);

/* Structs that stand in arrays or are passed without their size */
SIZE(broch_input_spec, 32);
AT(broch_input_spec, name, 0);
AT(broch_input_spec, shape, 8);
AT(broch_input_spec, dims, 16);
AT(broch_input_spec, rank, 24);
AT(broch_input_spec, dtype, 28);
SIZE(broch_summary_value, 48);
AT(broch_summary_value, tag, 0);
AT(broch_summary_value, kind, 8);
AT(broch_summary_value, scalar, 16);
AT(broch_summary_value, tensor, 24);
AT(broch_summary_value, bytes, 32);
AT(broch_summary_value, size, 40);
SIZE(broch_kernel_type, 72);
AT(broch_kernel_type, dtype, 0);
AT(broch_kernel_type, rank, 4);
AT(broch_kernel_type, shape, 8);
SIZE(broch_metric_point, 16);
AT(broch_metric_point, global_step, 0);
AT(broch_metric_point, value, 8);
SIZE(broch_bytes, 16);
AT(broch_bytes, data, 0);
AT(broch_bytes, size, 8);
SIZE(broch_cancel, 32);
AT(broch_cancel, context, 0);
AT(broch_cancel, cancelled, 8);
AT(broch_cancel, wait, 16);
AT(broch_cancel, event_fd, 24);
SIZE(broch_signature, 16);
AT(broch_signature, add, 8);
SIZE(broch_names, 16);
AT(broch_names, add, 8);
SIZE(broch_scalars, 16);
AT(broch_scalars, add, 8);
SIZE(broch_optimizer_outline, 24);
AT(broch_optimizer_outline, hyper, 8);
AT(broch_optimizer_outline, slot, 16);
SIZE(broch_update, 80);
AT(broch_update, n, 4);
AT(broch_update, scope, 8);
AT(broch_update, variables, 16);
AT(broch_update, values, 24);
AT(broch_update, gradients, 32);
AT(broch_update, slots, 40);
AT(broch_update, hypers, 48);
AT(broch_update, number, 56);
AT(broch_update, new_values, 64);
AT(broch_update, new_slots, 72);
AT(broch_optimizer, outline, 8);
AT(broch_optimizer, update, 16);
AT(broch_gradient_processor, keep, 8);
AT(broch_gradient_processor, process, 16);
SIZE(broch_device_info, 152);
AT(broch_device_info, total, 16);
AT(broch_device_info, name, 24);
SIZE(broch_device_memory, 32);
AT(broch_device_memory, used, 16);
AT(broch_device_ext, count, 8);
AT(broch_device_ext, info, 16);
AT(broch_device_ext, memory, 24);
AT(broch_device_ext, reset_peak, 32);
AT(broch_device_ext, synchronize, 40);
AT(broch_rng, bits, 8);
AT(broch_rng, uniform, 16);
AT(broch_rng, normal, 24);
AT(broch_rng, below, 32);
AT(broch_rng, permutation, 40);
AT(broch_service, start, 8);
AT(broch_service, stop, 16);
AT(broch_dist, ranks, 8);
AT(broch_dist, all_reduce, 16);
AT(broch_dist, all_gather, 24);
AT(broch_dist, broadcast, 32);
AT(broch_dist, barrier, 40);
IS(BROCH_DIST_SUM, 1);
IS(BROCH_DIST_MEAN, 2);
IS(BROCH_DIST_MIN, 3);
IS(BROCH_DIST_MAX, 4);
AT(broch_input, flags, 8);
AT(broch_input, size, 16);
AT(broch_input, consumed, 24);
AT(broch_input, towers, 32);
AT(broch_input, next, 40);
AT(broch_collections, list, 8);
AT(broch_collections, members, 16);
AT(broch_collections, fetch, 24);

/* status.h */
SIZE(broch_status, 4);
IS(BROCH_OK, 0);
IS(BROCH_END, 1);
IS(BROCH_STOP, 2);
IS(BROCH_CANCELLED, 3);
IS(BROCH_NONE, 4);
IS(BROCH_E_UNKNOWN, -2);
IS(BROCH_E_INVALID_ARGUMENT, -3);
IS(BROCH_E_DEADLINE, -4);
IS(BROCH_E_NOT_FOUND, -5);
IS(BROCH_E_ALREADY_EXISTS, -6);
IS(BROCH_E_PERMISSION, -7);
IS(BROCH_E_RESOURCE_EXHAUSTED, -8);
IS(BROCH_E_FAILED_PRECONDITION, -9);
IS(BROCH_E_ABORTED, -10);
IS(BROCH_E_OUT_OF_RANGE, -11);
IS(BROCH_E_UNIMPLEMENTED, -12);
IS(BROCH_E_INTERNAL, -13);
IS(BROCH_E_UNAVAILABLE, -14);
IS(BROCH_E_DATA_LOSS, -15);
IS(BROCH_E_NUMBERS, -100);
