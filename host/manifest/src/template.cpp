// template.cpp: one pass over the characters; defaults are parsed recursively.
#include "template.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "value/fault.hpp"

namespace broch::manifest {
namespace {

constexpr int kDeepest = 8;

bool is_environment_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

class Reader {
 public:
  Reader(const Value& value, const std::string& pointer)
      : value_(value), pointer_(pointer), text_(value.string()) {}

  Template whole() { return pieces(false); }

 private:
  [[noreturn]] void fail(const Remark& remark) const {
    throw fault_at(value_.origin(), pointer_, remark);
  }

  bool take(std::string_view sign) {
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  // Parses up to the end of the text, or to the '}' that ends the current default.
  Template pieces(bool in_default) {
    Template pieces;
    std::string literal;
    const auto flush = [&] {
      if (!literal.empty()) pieces.push_back({Piece::Kind::literal, std::move(literal), false, {}});
      literal.clear();
    };
    while (at_ < text_.size() && !(in_default && text_[at_] == '}')) {
      const size_t start = at_;
      if (take("$${")) {
        literal += "${";
      } else if (take("${")) {
        flush();
        pieces.push_back(substitution(start));
      } else {
        literal += text_[at_++];
      }
    }
    flush();
    return pieces;
  }

  Piece substitution(size_t start) {
    if (++depth_ > kDeepest) {
      fail({"more than " + std::to_string(kDeepest) + " defaults inside each other", "fewer",
            "name the inner ones under \"vars\""});
    }
    Piece piece = text_.substr(at_).starts_with("env:") ? environment(start) : reference(start);
    --depth_;
    return piece;
  }

  Piece environment(size_t start) {
    at_ += std::string_view("env:").size();
    const size_t end = std::min(text_.find_first_of(":}", at_), text_.size());
    Piece piece{Piece::Kind::environment, std::string(text_.substr(at_, end - at_)), false, {}};
    at_ = end;
    if (take(":-")) {
      piece.has_default = true;
      piece.otherwise = pieces(true);
    } else if (at_ < text_.size() && text_[at_] == ':') {
      fail({"':' without '-' after " + base::quoted(piece.text), "${env:NAME:-default}",
            "write :- before a default"});
    }
    if (!take("}")) refuse_open(start);
    if (!is_environment_name(piece.text)) {
      fail({"environment variable " + base::quoted(piece.text), "letters, digits and '_'",
            "write ${env:NAME}"});
    }
    return piece;
  }

  Piece reference(size_t start) {
    const size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) refuse_open(start);
    Piece piece{Piece::Kind::reference, std::string(text_.substr(at_, end - at_)), false, {}};
    at_ = end + 1;
    return piece;
  }

  [[noreturn]] void refuse_open(size_t start) const {
    fail({"'${' without '}': " + base::quoted(text_.substr(start)), kSubstitutions,
          "close it with '}', or write $${ for the characters ${"});
  }

  const Value& value_;
  const std::string& pointer_;
  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_template(std::string_view text) { return text.find("${") != std::string_view::npos; }

bool is_one_substitution(std::string_view text) {
  if (!text.starts_with("${")) return false;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("$${")) {
      i += 2;
      continue;
    }
    if (text.substr(i).starts_with("${")) ++open;
    if (text[i] == '}' && --open == 0) return i + 1 == text.size();
  }
  return false;
}

Template read_template(const Value& text, const std::string& pointer) {
  return Reader(text, pointer).whole();
}

}  // namespace broch::manifest
