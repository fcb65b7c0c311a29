// host.hpp: the host as an object: log lines, extensions, statuses as exceptions, and texts that it
// writes.
#pragma once
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "../broch.h"
#include "error.hpp"

namespace broch {
inline namespace v0 {

// The host of an instance; valid as long as the instance. Can be copied.
class Host {
 public:
  Host() = default;
  explicit Host(const broch_host* host) : host_(host) {}
  const broch_host* c() const { return host_; }

  void debug(const std::string& text) const { host_->log(host_, BROCH_LOG_DEBUG, text.c_str()); }
  void info(const std::string& text) const { host_->log(host_, BROCH_LOG_INFO, text.c_str()); }
  void warning(const std::string& text) const {
    host_->log(host_, BROCH_LOG_WARNING, text.c_str());
  }
  void error(const std::string& text) const { host_->log(host_, BROCH_LOG_ERROR, text.c_str()); }

  // The table of an extension, find<broch_host_progress>(BROCH_EXT_PROGRESS), or nullptr if this
  // host does not have it. Valid as long as the instance.
  template <class Table>
  const Table* find(const char* id) const {
    return static_cast<const Table*>(host_->get_extension(host_, id));
  }
  // The same; throws Error if this host does not have it.
  template <class Table>
  const Table* require(const char* id) const {
    const Table* table = find<Table>(id);
    if (!table) throw Error(BROCH_E_UNIMPLEMENTED, std::string("this host has no ") + id);
    return table;
  }

  // Why the last host function failed on this thread, or why a child has asked to end training.
  std::string last_error() const { return host_->last_error(host_); }
  // Throws Error with the message of the host if status is negative (a failure); otherwise returns
  // it.
  broch_status check(broch_status status) const {
    if (status < 0) throw Error(status, last_error());
    return status;
  }

 private:
  const broch_host* host_ = nullptr;
};

// Runs body for a call from the host: turns an exception into a status and reports its message.
template <class Body>
broch_status at_border(const broch_host* host, Body&& body) noexcept {
  try {
    return body();
  } catch (const Cancelled&) {
    return BROCH_CANCELLED;
  } catch (const StopTraining& stop) {
    if (*stop.what()) host->fail(host, BROCH_STOP, stop.what());
    return BROCH_STOP;
  } catch (const Error& error) {
    // An Error is a failure even if it was made with a status that is not negative.
    return host->fail(host, error.status() < 0 ? error.status() : BROCH_E_UNKNOWN, error.what());
  } catch (const std::bad_alloc&) {
    return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::length_error&) {
    return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED, "more elements than memory can hold");
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      return host->fail(host, BROCH_E_UNKNOWN, error.what());
    return host->fail(host, BROCH_E_RESOURCE_EXHAUSTED,
                      "the system refuses another thread; raise the limit of processes (ulimit "
                      "-u, or that of the container), or use fewer threads");
  } catch (const std::exception& error) {
    return host->fail(host, BROCH_E_UNKNOWN, error.what());
  } catch (...) {
    return host->fail(host, BROCH_E_UNKNOWN, "threw something that is no std::exception");
  }
}

// A text that the host or a child writes in pieces.
class WrittenText {
 public:
  explicit WrittenText(const Host& host) : host_(host) {}
  WrittenText(const WrittenText&) = delete;
  WrittenText& operator=(const WrittenText&) = delete;

  // Borrowed, valid as long as this object.
  const broch_writer* c() { return &writer_; }
  const std::string& text() const { return text_; }

 private:
  static broch_status append(void* context, const void* bytes, uint64_t size) {
    auto& to = *static_cast<WrittenText*>(context);
    return at_border(to.host_.c(), [&]() -> broch_status {
      to.text_.append(static_cast<const char*>(bytes), size);
      return BROCH_OK;
    });
  }

  Host host_;
  std::string text_;
  broch_writer writer_{this, &append};
};

}  // namespace v0
}  // namespace broch
