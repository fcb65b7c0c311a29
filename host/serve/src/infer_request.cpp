// infer_request.cpp: from the body of a request to tensors that lie in it.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "datatype.hpp"
#include "json_data.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostText = 1024;  // bytes of an id

// "an array", "3".
std::string found(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return base::quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Json* find(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

const std::string& text_of(const Json& object, const char* key, const std::string& where) {
  const Json* const value = find(object, key);
  if (!value) refuse(kBadRequest, where, std::string("no '") + key + "'", "a string");
  if (!value->is_string()) refuse(kBadRequest, where + " '" + key + "'", found(*value), "a string");
  return value->get_ref<const std::string&>();
}

const Json& array_of(const Json& object, const char* key, const std::string& where) {
  const Json* const value = find(object, key);
  if (!value) refuse(kBadRequest, where, std::string("no '") + key + "'", "an array");
  if (!value->is_array()) refuse(kBadRequest, where + " '" + key + "'", found(*value), "an array");
  for (const Json& one : *value)
    if (std::string_view(key) != "shape" && !one.is_object())
      refuse(kBadRequest, where + " '" + key + "'", found(one), "objects");
  return *value;
}

// The parameters that are understood; others would change the meaning of the request.
class Parameters {
 public:
  Parameters(const Json& object, const std::string& where, std::vector<std::string> known)
      : where_(where + " parameter ") {
    const Json* const given = find(object, "parameters");
    if (!given) return;
    if (!given->is_object())
      refuse(kBadRequest, where + " 'parameters'", found(*given), "an object");
    for (const auto& [key, value] : given->items())
      if (std::ranges::find(known, key) == known.end())
        refuse(kBadRequest, where + " 'parameters'", base::quoted(key),
               known.empty() ? "none" : "only " + base::join(known, ", "));
    given_ = given;
  }

  bool flag(const char* key, bool otherwise) const {
    const Json* const value = given_ ? find(*given_, key) : nullptr;
    if (!value) return otherwise;
    if (!value->is_boolean()) refuse(kBadRequest, where_ + key, found(*value), "true or false");
    return value->get<bool>();
  }
  std::optional<size_t> size(const char* key) const {
    const Json* const value = given_ ? find(*given_, key) : nullptr;
    if (!value) return std::nullopt;
    if (!value->is_number_unsigned())
      refuse(kBadRequest, where_ + key, found(*value), "a number of bytes");
    return value->get<size_t>();
  }

 private:
  const std::string where_;
  const Json* given_ = nullptr;
};

std::string names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return base::join(names, ", ");
}

size_t place_of(const std::vector<Port>& ports, const std::string& name, const std::string& where) {
  const auto it = std::ranges::find(ports, name, &Port::name);
  if (it == ports.end())
    refuse(kBadRequest, where, "the name " + base::quoted(name), "one of " + names_of(ports));
  return size_t(it - ports.begin());
}

runtime::Shape shape_of(const Json& input, const std::string& where) {
  const Json& sizes = array_of(input, "shape", where);
  if (sizes.size() > BROCH_RANK_MAX)
    refuse(kBadRequest, where + " 'shape'", std::to_string(sizes.size()) + " sizes",
           "at most " + std::to_string(BROCH_RANK_MAX));
  runtime::Shape shape;
  for (const Json& size : sizes) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t{INT64_MAX})
      refuse(kBadRequest, where + " 'shape'", found(size), "sizes from 0 to 2^63 - 1");
    shape.dims[shape.rank++] = size.get<int64_t>();
  }
  return shape;
}

class Reader {
 public:
  Reader(const Signature& signature, InferRequest& request, size_t json_size)
      : signature_(signature),
        request_(request),
        text_(std::string_view(*request.body).substr(0, json_size)),
        binary_(std::string_view(*request.body).substr(json_size)),
        given_(signature.inputs.size()) {
    request_.inputs.resize(signature.inputs.size());
    request_.data.resize(signature.inputs.size());
  }

  void read() {
    const Json tree = parse_skeleton(text_);
    if (!tree.is_object()) refuse(kBadRequest, "JSON of the request", found(tree), "an object");
    if (find(tree, "id")) request_.id = text_of(tree, "id", "request");
    if (request_.id.size() > kMostText)
      refuse(kBadRequest, "'id'", std::to_string(request_.id.size()) + " bytes",
             "at most " + std::to_string(kMostText));
    const Parameters parameters(tree, "request", {"binary_data_output"});
    for (const Json& input : array_of(tree, "inputs", "request")) read_input(input);
    require_all_inputs();
    if (!binary_.empty())
      refuse(kBadRequest, "binary data", std::to_string(binary_.size()) + " bytes too many",
             "what the inputs name in binary_data_size");
    if (has_text_data_) parse_data(text_, in_text_);
    request_.files.insert(request_.files.end(), request_.texts.begin(), request_.texts.end());
    read_outputs(tree, parameters.flag("binary_data_output", false));
  }

  // The only input, in binary. The size that varies follows from the number of bytes. Whoever sends
  // a file as it is gets an answer to read.
  void read_raw() {
    if (signature_.inputs.size() != 1)
      refuse(kBadRequest, "Inference-Header-Content-Length 0",
             "a model of " + std::to_string(signature_.inputs.size()) + " inputs", "one input");
    const Port& port = signature_.inputs[0];
    const std::string where = "input " + base::quoted(port.name);
    runtime::TensorInfo& info = request_.inputs[0];
    info.dtype = port.dtype;
    if (port.dtype == kBytes) {
      request_.files.push_back(binary_);
      return read_outputs(Json::object(), false);
    }
    int64_t* varying = nullptr;
    size_t bytes = runtime::dtype_size(port.dtype);
    for (const int64_t size : port.shape) {
      int64_t& place = info.shape.dims[info.shape.rank++] = size;
      if (size >= 0) {
        if (__builtin_mul_overflow(bytes, size_t(size), &bytes)) bytes = 0;
        continue;
      }
      if (varying)
        refuse(kBadRequest, where, "several sizes that vary", "one, for data without JSON");
      varying = &place;
    }
    if (varying && bytes) *varying = int64_t(binary_.size() / bytes);
    take_binary(0, binary_.size(), where);
    read_outputs(Json::object(), true);
  }

 private:
  void read_input(const Json& input) {
    const size_t number = in_text_.size();
    const size_t place = place_of(signature_.inputs,
                                  text_of(input, "name", "input number " + std::to_string(number)),
                                  "input number " + std::to_string(number));
    const Port& port = signature_.inputs[place];
    const std::string where = "input " + base::quoted(port.name);
    if (given_[place]) refuse(kBadRequest, where, "it twice", "it once");
    given_[place] = true;
    const std::string& name = text_of(input, "datatype", where);
    if (datatype(name) != port.dtype)
      refuse(kBadRequest, where, "datatype " + base::quoted(name),
             std::string(datatype_name(port.dtype)));
    request_.inputs[place] = {port.dtype, shape_of(input, where), {}, false};
    if (port.dtype == kBytes && request_.inputs[place].shape.rank != 1)
      refuse(kBadRequest, where + " 'shape'", runtime::to_string(request_.inputs[place].shape),
             "one size, the number of files");
    const Parameters parameters(input, where, {"binary_data_size"});
    const std::optional<size_t> binary_size = parameters.size("binary_data_size");
    const Json* const data = find(input, "data");
    if (binary_size && data)
      refuse(kBadRequest, where, "'data' and binary_data_size", "one of them");
    if (!binary_size && !data)
      refuse(kBadRequest, where, "no 'data'",
             "it, or the parameter binary_data_size and binary data after the JSON");
    if (data && !data->is_array()) refuse(kBadRequest, where + " 'data'", found(*data), "an array");
    in_text_.push_back({where, request_.inputs[place], {}});
    if (port.dtype == kBytes)
      read_files(place, binary_size, where);
    else if (binary_size)
      take_binary(place, *binary_size, where);
    else
      make_room(place, where);
  }

  void read_files(size_t place, std::optional<size_t> binary_size, const std::string& where) {
    const int64_t count = request_.inputs[place].shape.elements();
    if (binary_size) return take_files(count, *binary_size, where);
    if (size_t(count) > text_.size() / 2)
      refuse(kBadRequest, where, "fewer elements than its shape says", std::to_string(count));
    in_text_.back().texts = &request_.texts;
    has_text_data_ = true;
  }

  // The length of a file in four bytes, its content, and so on.
  void take_files(int64_t count, size_t size, const std::string& where) {
    std::string_view left = taken(size, where);
    while (!left.empty()) {
      const std::optional<uint32_t> length = length_in(left);
      if (!length || *length > left.size() - sizeof *length)
        refuse(kBadRequest, where,
               "binary data that end within file " + std::to_string(request_.files.size()),
               "the length of each file in four bytes before it");
      request_.files.push_back(left.substr(sizeof *length, *length));
      left.remove_prefix(sizeof *length + *length);
    }
    if (int64_t(request_.files.size()) != count)
      refuse(kBadRequest, where, std::to_string(request_.files.size()) + " files",
             std::to_string(count) + " for its shape");
  }
  static std::optional<uint32_t> length_in(std::string_view bytes) {
    uint32_t length = 0;
    if (bytes.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, bytes.data(), sizeof length);
    return length;
  }

  // Bytes after the JSON.
  std::string_view taken(size_t size, const std::string& where) {
    if (size > binary_.size())
      refuse(kBadRequest, where, std::to_string(binary_.size()) + " bytes after the JSON",
             std::to_string(size), "is Inference-Header-Content-Length right?");
    const std::string_view bytes = binary_.substr(0, size);
    binary_.remove_prefix(size);
    return bytes;
  }

  void take_binary(size_t place, size_t size, const std::string& where) {
    const size_t expected = bytes_of(request_.inputs[place], where);
    if (size != expected)
      refuse(kBadRequest, where, std::to_string(size) + " bytes of binary data",
             std::to_string(expected) + " for shape " +
                 runtime::to_string(request_.inputs[place].shape));
    const std::string_view bytes = taken(size, where);
    request_.data[place] = reinterpret_cast<const std::byte*>(bytes.data());
    if (request_.inputs[place].dtype == BROCH_BOOL &&
        std::ranges::any_of(bytes, [](char byte) { return byte & ~1; }))
      refuse(kBadRequest, where, "a byte other than 0 and 1", "these for BOOL");
  }

  // For elements in the text, of which each takes two bytes there.
  void make_room(size_t place, const std::string& where) {
    const size_t size = bytes_of(request_.inputs[place], where);
    const size_t elements = size / runtime::dtype_size(request_.inputs[place].dtype);
    if (elements > text_.size() / 2)
      refuse(kBadRequest, where, "fewer elements than its shape says", std::to_string(elements));
    std::vector<std::byte>& bytes = request_.decoded.emplace_back(size);
    in_text_.back().bytes = bytes;
    request_.data[place] = bytes.data();
    has_text_data_ = true;
  }

  void require_all_inputs() const {
    for (size_t i = 0; i < given_.size(); ++i)
      if (!given_[i])
        refuse(kBadRequest, "'inputs'",
               "none with the name " + base::quoted(signature_.inputs[i].name),
               "all of " + names_of(signature_.inputs));
  }

  void read_outputs(const Json& tree, bool binary) {
    if (!find(tree, "outputs")) {
      for (size_t i = 0; i < signature_.outputs.size(); ++i)
        request_.outputs.push_back({i, binary});
      return;
    }
    for (const Json& output : array_of(tree, "outputs", "request")) {
      const std::string& name = text_of(output, "name", "an output");
      const size_t place = place_of(signature_.outputs, name, "an output");
      const std::string where = "output " + base::quoted(name);
      if (std::ranges::find(request_.outputs, place, &InferRequest::Wanted::output) !=
          request_.outputs.end())
        refuse(kBadRequest, where, "it twice", "it once");
      const Parameters parameters(output, where, {"binary_data"});
      request_.outputs.push_back({place, parameters.flag("binary_data", binary)});
    }
  }

  const Signature& signature_;
  InferRequest& request_;
  const std::string_view text_;
  std::string_view binary_;         // what no input has taken yet
  std::vector<bool> given_;         // by Signature::inputs
  std::vector<JsonInput> in_text_;  // by the order in the text
  bool has_text_data_ = false;
};

size_t length_of(std::string_view text, size_t body_size) {
  size_t length = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, length);
  if (read.ec != std::errc() || read.ptr != end || length > body_size)
    refuse(kBadRequest, "Inference-Header-Content-Length", base::quoted(text),
           "the number of bytes of JSON, at most " + std::to_string(body_size) +
               ", the length of the body");
  return length;
}

}  // namespace

InferRequest parse_infer(const Signature& signature, std::string body,
                         std::optional<std::string_view> header_length) {
  InferRequest request;
  const size_t json_size = header_length ? length_of(*header_length, body.size()) : body.size();
  request.body = std::make_unique<const std::string>(std::move(body));
  Reader reader(signature, request, json_size);
  if (header_length && json_size == 0)
    reader.read_raw();
  else
    reader.read();
  return request;
}

}  // namespace broch::serve
