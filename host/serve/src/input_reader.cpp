// input_reader.cpp: first what an input is, then where its elements are; those in the text are read
// at the end, all at once.
#include "input_reader.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "datatype.hpp"
#include "json_fields.hpp"
#include "parameters.hpp"
#include "ports.hpp"
#include "refusal.hpp"

namespace broch::serve {

using Json = nlohmann::json;

namespace {

// Of a request. Tiny ones take more memory than their bytes, and each is written to a folder.
constexpr int64_t kMostFiles = 100'000;

void require_files(const runtime::Shape& shape, const std::string& where) {
  if (shape.rank != 1)
    refuse(kBadRequest, where + " 'shape'", runtime::to_string(shape),
           "one size, the number of files");
  if (shape.dims[0] > kMostFiles)
    refuse(kBadRequest, where + " 'shape'", runtime::to_string(shape),
           "at most " + std::to_string(kMostFiles) + " files");
}

}  // namespace

InputReader::InputReader(const Signature& signature, InferRequest& request, std::string_view text,
                         std::string_view binary)
    : signature_(signature),
      request_(request),
      text_(text),
      binary_(binary),
      given_(signature.inputs.size()) {}

void InputReader::read(const Json& input) {
  const size_t place = place_for(input);
  const Port& port = signature_.inputs[place];
  const std::string where = "input " + base::quoted(port.name);
  if (given_[place]) refuse(kBadRequest, where, "it twice", "it once");
  given_[place] = true;
  const std::string& name = text_of(input, "datatype", where);
  if (datatype(name) != port.dtype)
    refuse(kBadRequest, where, "datatype " + base::quoted(name),
           std::string(datatype_name(port.dtype)));
  runtime::TensorInfo& info =
      request_.inputs[place] = {port.dtype, shape_of(input, where), {}, false};
  if (port.dtype == kBytes) require_files(info.shape, where);
  read_data(place, input, where);
}

size_t InputReader::place_for(const Json& input) {
  const std::string where = "input number " + std::to_string(in_text_.size());
  return place_of(signature_.inputs, text_of(input, "name", where), where);
}

void InputReader::read_data(size_t place, const Json& input, const std::string& where) {
  const Parameters parameters(input, where, {"binary_data_size"});
  const std::optional<size_t> binary_size = parameters.size("binary_data_size");
  const Json* const data = find(input, "data");
  if (binary_size && data) refuse(kBadRequest, where, "'data' and binary_data_size", "one of them");
  if (!binary_size && !data)
    refuse(kBadRequest, where, "no 'data'",
           "it, or the parameter binary_data_size and binary data after the JSON");
  if (data && !data->is_array()) refuse(kBadRequest, where + " 'data'", found(*data), "an array");
  const runtime::TensorInfo& info = request_.inputs[place];
  in_text_.push_back({where, info, {}});
  if (info.dtype == kBytes)
    read_files(place, binary_size, where);
  else if (binary_size)
    request_.data[place] = binary_.take_tensor(info, *binary_size, where);
  else
    make_room(place, where);
}

void InputReader::read_files(size_t place, std::optional<size_t> binary_size,
                             const std::string& where) {
  const int64_t count = request_.inputs[place].shape.elements();
  if (binary_size) {
    request_.files = binary_.take_files(count, *binary_size, where);
    return;
  }
  require_elements(size_t(count), where);
  in_text_.back().texts = &request_.texts;
  has_text_data_ = true;
}

void InputReader::make_room(size_t place, const std::string& where) {
  const size_t size = bytes_of(request_.inputs[place], where);
  require_elements(size / runtime::dtype_size(request_.inputs[place].dtype), where);
  std::vector<std::byte>& bytes = request_.decoded.emplace_back(size);
  in_text_.back().bytes = bytes;
  request_.data[place] = bytes.data();
  has_text_data_ = true;
}

// Before there is memory for them: each takes two bytes in the text.
void InputReader::require_elements(size_t count, const std::string& where) const {
  if (count > text_.size() / 2)
    refuse(kBadRequest, where, "fewer elements than its shape says", std::to_string(count));
}

void InputReader::require_all() const {
  for (size_t i = 0; i < given_.size(); ++i)
    if (!given_[i])
      refuse(kBadRequest, "'inputs'",
             "none with the name " + base::quoted(signature_.inputs[i].name),
             "all of " + names_of(signature_.inputs));
}

void InputReader::finish() {
  require_all();
  if (!binary_.left().empty())
    refuse(kBadRequest, "binary data", std::to_string(binary_.left().size()) + " bytes too many",
           "what the inputs name in binary_data_size");
  if (has_text_data_) parse_data(text_, in_text_);
  request_.files.insert(request_.files.end(), request_.texts.begin(), request_.texts.end());
}

}  // namespace broch::serve
