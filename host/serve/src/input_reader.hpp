// input_reader.hpp: the inputs that a request describes in JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "binary_data.hpp"
#include "json_data.hpp"
#include "serve/infer.hpp"

namespace broch::serve {

// Reads them into the request. All throw Refusal.
class InputReader {
 public:
  // text: the JSON; binary: what follows after it. All outlive this.
  InputReader(const Signature& signature, InferRequest& request, std::string_view text,
              std::string_view binary);

  // The next one, in the order of the text.
  void read(const nlohmann::json& input);
  // After the last one.
  void finish();

 private:
  // Which input of the model it is.
  size_t place_for(const nlohmann::json& input);
  void read_data(size_t place, const nlohmann::json& input, const std::string& where);
  void read_files(size_t place, std::optional<size_t> binary_size, const std::string& where);
  void make_room(size_t place, const std::string& where);
  void require_elements(size_t count, const std::string& where) const;
  void require_all() const;

  const Signature& signature_;
  InferRequest& request_;
  const std::string_view text_;
  BinaryData binary_;
  std::vector<bool> given_;         // by Signature::inputs
  std::vector<JsonInput> in_text_;  // by the order in the text
  bool has_text_data_ = false;
};

}  // namespace broch::serve
