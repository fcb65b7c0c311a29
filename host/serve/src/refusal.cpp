// refusal.cpp: errors of the program as answers of the server.
#include "refusal.hpp"

#include <new>

#include "base/error.hpp"

namespace broch::serve {
namespace {

int status_of(base::Exit exit) {
  switch (exit) {
    case base::Exit::data:
      return kBadRequest;
    case base::Exit::interrupted:
      return kTooLate;
    case base::Exit::memory:
      return kUnavailable;
    default:
      return kFailed;
  }
}

// In one line.
std::string flat(std::string text) {
  constexpr std::string_view kHint = "\n  hint: ", kMore = "\n  ";
  if (const size_t at = text.find(kHint); at != text.npos) text.replace(at, kHint.size(), "; ");
  for (size_t at = 0; (at = text.find(kMore, at)) != text.npos;)
    text.replace(at, kMore.size(), "; ");
  return text;
}

}  // namespace

void refuse(int status, const std::string& where, const std::string& found,
            const std::string& expected, const std::string& hint) {
  throw Refusal(status, flat(base::Error(base::Exit::data, {where, found, expected, hint}).what()));
}

void refuse_more(size_t waiting, size_t most) {
  refuse(kTooMany, "the server", std::to_string(waiting) + " requests that wait",
         "fewer than " + std::to_string(most), "try again later");
}

Refusal server_ends() { return {kUnavailable, "the server: it ends, expected one that goes on"}; }

Refusal current_refusal() {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const base::Error& error) {
    return {status_of(error.exit()), flat(error.what())};
  } catch (const std::bad_alloc&) {
    return {kUnavailable, "the request: out of memory, expected a smaller one"};
  } catch (const std::length_error&) {
    return {kUnavailable, "the request: more elements than memory can hold, expected fewer"};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  }
}

}  // namespace broch::serve
