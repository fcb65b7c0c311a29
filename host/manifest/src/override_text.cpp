// override_text.cpp: reads "callbacks[NAME].with.max_to_keep=3".
#include "override_text.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "manifest/overrides.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::manifest {
namespace {

constexpr char kForms[] = "path=value, ~path or +path=value";
constexpr char kExample[] = "for example callbacks[NAME].with.OPTION=3";
constexpr size_t kLongestPath = 4096;
constexpr size_t kMostSteps = 64;

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  Override read() {
    if (!base::is_utf8(text_)) fail({"bytes that are no UTF-8", "UTF-8 text", kExample});
    Override result;
    if (peek() == '~') result.kind = Override::Kind::remove;
    if (peek() == '+') result.kind = Override::Kind::append;
    if (result.kind != Override::Kind::set) ++at_;
    read_path(result.steps);
    result.path = text_.substr(0, at_);
    result.origin = made_by("override " + result.path);
    if (result.kind == Override::Kind::remove) {
      if (at_ < text_.size()) fail({"a value after '~path'", "~path alone", "remove the '='"});
      return result;
    }
    if (at_ >= text_.size()) fail({"no '='", kForms, kExample});
    result.value = read_override_value(text_.substr(at_ + 1), result.origin);
    return result;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  [[noreturn]] void fail(const Remark& remark) const {
    throw fault_at(made_by("override " + base::quoted(text_)), "", remark);
  }

  void read_path(std::vector<Step>& steps) {
    read_key(steps);
    while (at_ < text_.size() && peek() != '=') {
      if (steps.size() > kMostSteps || at_ > kLongestPath) {
        fail({"a path without end", "at most " + std::to_string(kMostSteps) + " steps", kExample});
      }
      if (peek() == '[') {
        read_selector(steps);
      } else if (peek() == '.') {
        ++at_;
        read_key(steps);
      } else {
        fail({base::quoted(text_.substr(at_, 1)) + " after ']'", "'.', '[' or '='", kExample});
      }
    }
  }

  void read_key(std::vector<Step>& steps) {
    const size_t end = std::min(text_.find_first_of(".[=]", at_), text_.size());
    const std::string key = text_.substr(at_, end - at_);
    at_ = end;
    if (peek() == ']') fail({"']' without '['", kForms, kExample});
    if (key.empty()) fail({"an empty key in the path", kForms, kExample});
    steps.push_back({Step::Kind::key, key, 0});
  }

  void read_selector(std::vector<Step>& steps) {
    if (text_.compare(at_, 2, "[\"") == 0) {
      const size_t end = text_.find("\"]", at_ + 2);
      if (end == std::string::npos) fail({"'[\"' without '\"]'", "[\"a key\"]", kExample});
      steps.push_back({Step::Kind::key, text_.substr(at_ + 2, end - at_ - 2), 0});
      at_ = end + 2;
      return;
    }
    const size_t end = text_.find(']', at_);
    if (end == std::string::npos) fail({"'[' without ']'", "[place] or [name]", kExample});
    const std::string word = text_.substr(at_ + 1, end - at_ - 1);
    if (word.empty()) fail({"'[]'", "[place] or [name]", "append with +path=value"});
    steps.push_back(selector(word));
    at_ = end + 1;
  }

  Step selector(const std::string& word) const {
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      return {Step::Kind::name, word, 0};
    }
    size_t index = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), index).ec != std::errc()) {
      fail({"place " + word, "a place in the list", kExample});
    }
    return {Step::Kind::place, word, index};
  }

  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

// Text that begins like a list, an object or a quoted string must be valid JSON.
Value read_override_value(const std::string& text, const Origin& origin) {
  const size_t start = text.find_first_not_of(" \t\n");
  const bool structured =
      start != std::string::npos && std::string_view("[{\"").find(text[start]) != std::string::npos;
  Value value(text);
  try {
    value = parse_text(origin.text(), text);
  } catch (const base::Error&) {
    if (structured || text.size() > Limits().string_bytes || text.find('\0') != std::string::npos) {
      throw;
    }
  }
  value.set_origin_deep(origin);
  return value;
}

Override read_override(const std::string& text) { return Reader(text).read(); }

}  // namespace broch::manifest
