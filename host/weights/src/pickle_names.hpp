// pickle_names.hpp: the names of Python that the reader of pickles knows.
#pragma once
#include <cstdint>
#include <optional>

#include "store/dtype.hpp"

namespace broch::weights::pickle {

struct ElementType {
  const char* dtype;    // torch.NAME
  const char* storage;  // torch.NAME; "": only as an untyped storage
  std::optional<store::Dtype> type;
  uint64_t size = 0;  // in bytes, of a storage without such a type
};
inline constexpr ElementType kTypes[] = {{"float32", "FloatStorage", store::Dtype::f32},
                                         {"float64", "DoubleStorage", store::Dtype::f64},
                                         {"float16", "HalfStorage", store::Dtype::f16},
                                         {"bfloat16", "BFloat16Storage", store::Dtype::bf16},
                                         {"int64", "LongStorage", store::Dtype::i64},
                                         {"int32", "IntStorage", store::Dtype::i32},
                                         {"int16", "ShortStorage", store::Dtype::i16},
                                         {"int8", "CharStorage", store::Dtype::i8},
                                         {"uint8", "ByteStorage", store::Dtype::u8},
                                         {"bool", "BoolStorage", store::Dtype::boolean},
                                         {"complex64", "ComplexFloatStorage", store::Dtype::c64},
                                         {"uint16", "", store::Dtype::u16},
                                         {"uint32", "", store::Dtype::u32},
                                         {"uint64", "", store::Dtype::u64},
                                         {"float8_e4m3fn", "", store::Dtype::f8_e4m3},
                                         {"float8_e5m2", "", store::Dtype::f8_e5m2},
                                         {"complex128", "ComplexDoubleStorage", std::nullopt, 16},
                                         {"float8_e4m3fnuz", "", std::nullopt},
                                         {"float8_e5m2fnuz", "", std::nullopt},
                                         {"float8_e8m0fnu", "", std::nullopt},
                                         {"float4_e2m1fn_x2", "", std::nullopt},
                                         {"complex32", "", std::nullopt},
                                         {"bits8", "", std::nullopt},
                                         {"bits16", "", std::nullopt},
                                         {"bits1x8", "", std::nullopt},
                                         {"bits2x4", "", std::nullopt},
                                         {"bits4x2", "", std::nullopt},
                                         {"qint8", "QInt8Storage", std::nullopt, 1},
                                         {"quint8", "QUInt8Storage", std::nullopt, 1},
                                         {"qint32", "QInt32Storage", std::nullopt, 4},
                                         {"quint4x2", "QUInt4x2Storage", std::nullopt, 1},
                                         {"quint2x4", "QUInt2x4Storage", std::nullopt, 1}};
inline constexpr int64_t kUntyped = -1;

enum Function : int64_t {
  ordered_dict,
  default_dict,
  counter,
  size,
  tensor_v1,
  tensor_v2,
  tensor_v3,
  parameter,
  stateful_parameter,
  device_tensor,
  typed_tensor,
  plain_value
};
struct KnownFunction {
  const char *module, *name;
  Function function;
};
// A plain value is what trainings keep beside their weights. None of these can do harm, and here
// nothing is made of them.
inline constexpr KnownFunction kFunctions[] = {
    {"collections", "OrderedDict", ordered_dict},
    {"collections", "defaultdict", default_dict},
    {"collections", "Counter", counter},
    {"torch", "Size", size},
    {"torch._utils", "_rebuild_tensor", tensor_v1},  // before PyTorch 0.4
    {"torch._utils", "_rebuild_tensor_v2", tensor_v2},
    {"torch._utils", "_rebuild_tensor_v3", tensor_v3},
    {"torch.nn.parameter", "Parameter", parameter},  // before PyTorch 0.4.1
    {"torch._utils", "_rebuild_parameter", parameter},
    {"torch._utils", "_rebuild_parameter_with_state", stateful_parameter},
    {"torch._utils", "_rebuild_device_tensor_from_cpu_tensor", device_tensor},
    {"torch._tensor", "_rebuild_from_type_v2", typed_tensor},
    {"torch._utils", "_rebuild_qtensor", plain_value},
    {"torch._utils", "_rebuild_sparse_tensor", plain_value},
    {"torch._utils", "_rebuild_nested_tensor", plain_value},
    {"torch._utils", "_rebuild_meta_tensor_no_storage", plain_value},
    {"torch", "Tensor", plain_value},
    {"torch.serialization", "_get_layout", plain_value},
    {"torch", "device", plain_value},
    {"torch", "per_tensor_affine", plain_value},
    {"torch", "per_tensor_symmetric", plain_value},
    {"torch", "per_channel_affine", plain_value},
    {"torch", "per_channel_symmetric", plain_value},
    {"torch", "per_channel_affine_float_qparams", plain_value},
    {"torch.torch_version", "TorchVersion", plain_value},
    {"numpy.core.multiarray", "scalar", plain_value},
    {"numpy._core.multiarray", "scalar", plain_value},
    {"numpy.core.multiarray", "_reconstruct", plain_value},
    {"numpy._core.multiarray", "_reconstruct", plain_value},
    {"numpy", "ndarray", plain_value},
    {"numpy", "dtype", plain_value},
    {"argparse", "Namespace", plain_value},
    {"collections", "deque", plain_value},
    {"datetime", "date", plain_value},
    {"datetime", "datetime", plain_value},
    {"datetime", "time", plain_value},
    {"datetime", "timedelta", plain_value},
    {"datetime", "timezone", plain_value},
    {"pathlib", "PosixPath", plain_value},
    {"pathlib._local", "PosixPath", plain_value},
    {"pathlib", "WindowsPath", plain_value},
    {"pathlib._local", "WindowsPath", plain_value},
    {"_codecs", "encode", plain_value},  // bytes
    {"__builtin__", "bytes", plain_value},
    {"__builtin__", "bytearray", plain_value},
    {"__builtin__", "complex", plain_value},
    {"__builtin__", "set", plain_value},
    {"__builtin__", "frozenset", plain_value},
    {"__builtin__", "xrange", plain_value},
    {"__builtin__", "list", plain_value},
    {"__builtin__", "dict", plain_value},
    {"__builtin__", "long", plain_value},
    {"__builtin__", "float", plain_value}};

}  // namespace broch::weights::pickle
