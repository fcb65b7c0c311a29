// handle.cpp: handles in messages.
#include "abi/handle.hpp"

#include <cinttypes>
#include <cstdio>

#include "abi/inspection.hpp"
#include "base/noun.hpp"

namespace broch::abi {

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"nothing",      "tensor",
                                           "owned tensor", "variable",
                                           "operator",     "tower",
                                           "plan",         "node",
                                           "run",          "data point",
                                           "predictor",    "operation",
                                           "saved list",   "asynchronous predictor"};
  const auto index = static_cast<size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "nothing";
}

namespace {

std::string with_article(Kind kind) { return base::with_article(kind_name(kind)); }

// Plugins know one kind of tensor; that some are in a table is the host's own affair.
bool is_other(Kind kind, Kind expected) {
  const auto plain = [](Kind of) { return of == Kind::owned_tensor ? Kind::tensor : of; };
  return plain(kind) != plain(expected) && kind_name(kind) != kind_name(Kind::none);
}

}  // namespace

std::string explain(uint64_t handle, Kind expected, const char* why) {
  char number[32];
  std::snprintf(number, sizeof number, "0x%" PRIx64, handle);
  std::string text = std::string(kind_name(expected)) + " handle " + number + ": " + why;
  const Kind kind = handle_kind(handle);
  if (handle != 0 && is_other(kind, expected))
    text += " (" + with_article(kind) + ", expected " + with_article(expected) + ")";
  note(Misuse::handle, text);
  return text;
}

}  // namespace broch::abi
