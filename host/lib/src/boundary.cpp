// boundary.cpp: exceptions as statuses and messages.
#include "boundary.hpp"

#include <cstring>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace broch::lib {
namespace {

constexpr std::string_view kCut = " ...";
constexpr std::string_view kCancelled =
    "the run was ended early, since its libbroch_cancel is set\n"
    "  hint: call libbroch_cancel_reset before the next run, or give each run a cancel of its own";

libbroch_status put(libbroch_error* error, libbroch_status status,
                    std::string_view message) noexcept {
  if (!error) return status;
  error->status = status;
  constexpr size_t kRoom = LIBBROCH_MESSAGE_SIZE - 1;
  size_t size = message.size();
  if (size > kRoom) size = base::cut_to_bytes(message, kRoom - kCut.size()).size();
  std::memcpy(error->message, message.data(), size);
  if (size < message.size()) {
    std::memcpy(error->message + size, kCut.data(), kCut.size());
    size += kCut.size();
  }
  error->message[size] = 0;
  return status;
}

libbroch_status status_of(base::Exit exit, libbroch_status data_error) {
  switch (exit) {
    case base::Exit::data:
    case base::Exit::checkpoint:
      return data_error;
    case base::Exit::plugin:
      return LIBBROCH_UNAVAILABLE;
    case base::Exit::interrupted:
      return LIBBROCH_CANCELLED;
    case base::Exit::memory:
      return LIBBROCH_OUT_OF_MEMORY;
    case base::Exit::manifest:
    case base::Exit::usage:
      return LIBBROCH_INVALID;
    default:
      return LIBBROCH_FAILED;
  }
}

}  // namespace

void refuse(const std::string& where, const std::string& found, const std::string& expected,
            const std::string& hint) {
  throw Failure(LIBBROCH_INVALID,
                base::Error(base::Exit::usage,
                            base::Diagnostic{
                                .where = where, .found = found, .expected = expected, .hint = hint})
                    .what());
}

libbroch_status succeed(libbroch_error* error) noexcept {
  if (error) {
    error->status = LIBBROCH_OK;
    error->message[0] = 0;
  }
  return LIBBROCH_OK;
}

libbroch_status fail(libbroch_error* error, libbroch_status data_error) noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return put(error, failure.status(), failure.what());
  } catch (const base::Error& failure) {
    const libbroch_status status = status_of(failure.exit(), data_error);
    return put(error, status, status == LIBBROCH_CANCELLED ? kCancelled : failure.what());
  } catch (const std::bad_alloc&) {
    return put(error, LIBBROCH_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error&) {
    return put(error, LIBBROCH_OUT_OF_MEMORY, "more memory than there can be");
  } catch (const std::exception& failure) {
    return put(error, LIBBROCH_FAILED, failure.what());
  } catch (...) {
    return put(error, LIBBROCH_FAILED, "an unknown failure");
  }
}

}  // namespace broch::lib

extern "C" {

const char* libbroch_status_text(libbroch_status status) {
  switch (status) {
    case LIBBROCH_OK:
      return "success";
    case LIBBROCH_CANCELLED:
      return "cancelled";
    case LIBBROCH_INVALID:
      return "invalid argument";
    case LIBBROCH_NO_FILE:
      return "the file cannot be read";
    case LIBBROCH_DAMAGED:
      return "no bundle, or a damaged one";
    case LIBBROCH_UNAVAILABLE:
      return "LibTorch or an operator is not available";
    case LIBBROCH_OUT_OF_MEMORY:
      return "out of memory";
    case LIBBROCH_FAILED:
      return "the computation failed";
    default:
      return "unknown status";
  }
}

const char* libbroch_version(void) { return BROCH_VERSION; }

}  // extern "C"
