// guard.cpp: handles calls that did not simply return BROCH_OK.
#include "abi/guard.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "abi/departure.hpp"
#include "abi/inspection.hpp"
#include "abi/written.hpp"
#include "abort.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/config.h"
#include "message.hpp"
#include "options.hpp"

namespace broch::abi {
namespace {

using base::Diagnostic;
using base::Exit;

// Whether the instance reads or writes data.
bool handles_data(const Instance& instance) {
  const std::string& role = instance.spec().role;
  return role == "dataflow" || role == "transform" || role == "input_source" || role == "sink";
}

std::string numbered(broch_status status) {
  return std::to_string(status) + " (" + status_name(status) + ")";
}

std::string allowed(Outcomes outcomes) {
  std::string text = "0";
  for (broch_status status = 1; status < 32; ++status)
    if (uint32_t(outcomes) >> status & 1) text += ", " + numbered(status);
  return text + " or a failure";
}

// The message that was stored during this call and belongs to this status. The message of a failed
// host function counts only if the plugin passes on its status.
const Message* message_for(broch_status status) {
  if (!thread_state().told_in_call()) return nullptr;
  const Message& message = last_message();
  if (message.text.empty() || (!message.by_plugin && message.code != status)) return nullptr;
  return &message;
}

// The text keeps the name of the instance that failed first. The instance that passed it on is
// added to the first line.
std::string passed_on(const std::string& text, const Instance& by) {
  const size_t line = std::min(text.find('\n'), text.size());
  return text.substr(0, line) + " (in " + by.spec().role + " '" + by.name() + "')" +
         text.substr(line);
}

// "/patience" for the text "/patience: found 0, …", if the instance has such an option; otherwise
// "".
std::string option_named_in(const std::string& text, const Instance& instance) {
  if (!text.starts_with('/')) return "";
  const std::string pointer = text.substr(0, text.find(": "));
  return instance.options().kind(pointer) == BROCH_CONFIG_ABSENT ? "" : pointer;
}

// message: null if there is none.
Exit exit_for(const Instance& instance, broch_status status, const Message* message) {
  if (status == BROCH_E_NUMBERS) return Exit::numbers;
  if (status == BROCH_E_RESOURCE_EXHAUSTED) return Exit::memory;
  if (status == BROCH_E_DATA_LOSS && handles_data(instance)) return Exit::data;
  // create checks what a schema cannot say about options, for example that two exclude each other.
  if (!instance.created()) {
    if (status == BROCH_E_INVALID_ARGUMENT) return Exit::manifest;
    // A file that an option names.
    const bool is_about_file = status == BROCH_E_NOT_FOUND || status == BROCH_E_DATA_LOSS;
    const bool names_option = message && !option_named_in(message->text, instance).empty();
    return is_about_file && names_option ? Exit::data : Exit::plugin;
  }
  if (!message || !message->by_plugin) return Exit::training;
  // An argument that a host function refused is a mistake in the plugin, unless the plugin itself
  // names the option from which it follows.
  if (message->of_host && !message->introduced) return Exit::training;
  if (status == BROCH_E_INVALID_ARGUMENT && !option_named_in(message->text, instance).empty())
    return Exit::manifest;
  if (message->of_host) return Exit::training;
  const bool is_about_data = status == BROCH_E_INVALID_ARGUMENT || status == BROCH_E_NOT_FOUND;
  return is_about_data && handles_data(instance) ? Exit::data : Exit::training;
}

// A failure about an option begins with that option's place in the manifest. Any other failure ends
// with the place of the instance's entry, unless it passes on the failure of another instance.
std::string with_place(const Instance& instance, const std::string& where,
                       const std::string& text) {
  const Written* const manifest = instance.context().find<Written>();
  if (!manifest) return where + ": " + text;
  if (const std::string option = option_named_in(text, instance); !option.empty()) {
    const WrittenAt written = manifest->written_at(instance, option);
    return written.place + ": " + where + text.substr(option.size()) + written.excerpt;
  }
  if (text.find(" failed in ") != std::string::npos) return where + ": " + text;
  const std::string place = manifest->written_at(instance, "").place;
  return where + ": " + text + (place.empty() ? "" : "\n  in the manifest: " + place);
}

PluginError failure(const Instance& instance, const char* hook, broch_status status) {
  const Message* message = message_for(status);
  const std::string where = instance.label() + " failed in " + hook;
  if (!message) {
    note(Misuse::silent, where + " without a reason, with status " + numbered(status));
    return PluginError(exit_for(instance, status, nullptr),
                       Diagnostic{where, "no reason, only status " + numbered(status),
                                  "a reason given through host->fail",
                                  "this is a mistake in the plugin, tell its author"},
                       status);
  }
  const Exit exit = message->has_exit ? message->exit : exit_for(instance, status, message);
  if (message->names_plugin) return PluginError(exit, passed_on(message->text, instance), status);
  return PluginError(exit, with_place(instance, where, message->text), status);
}

// The loop logs the reason of what it has called itself. A parent may give a reason of its own.
void log_who_stops(const Instance& instance, const char* hook) {
  if (!message_for(BROCH_STOP)) return;
  Message& message = last_message();
  if (!message.by_plugin || message.code != BROCH_STOP) return;
  const bool has_parent = thread_state().top->outer;
  base::info(instance.label() + " stops in " + hook + (has_parent ? ": " + message.text : ""));
  message.code = BROCH_OK;  // a parent that passes on this status is not named
}

std::string escaped_exception() {
  const std::type_info* type = ::abi::__cxa_current_exception_type();
  std::string name = "an exception";
  if (type) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> readable(
        ::abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed), std::free);
    name = readable && !failed ? readable.get() : type->name();
  }
  try {
    throw;
  } catch (const std::exception& exception) {
    return name + "(\"" + base::to_utf8(exception.what()) + "\")";
  } catch (...) {
    return name;
  }
}

PluginError breach(Misuse misuse, const Instance& instance, const std::string& found,
                   const std::string& expected) {
  const std::string& file = instance.spec().file;
  abort_if_asked(instance.label() + " violated the interface: " + found);
  note(misuse, instance.label() + " " + found + ", expected " + expected);
  return PluginError(instance.created() ? Exit::training : Exit::plugin,
                     Diagnostic{instance.label() + " violated the interface", found, expected,
                                "this is a mistake in " + (file.empty() ? "the plugin" : file) +
                                    ", tell its author"},
                     BROCH_E_INTERNAL);
}

}  // namespace

PluginError violation(const Instance& instance, const std::string& found,
                      const std::string& expected) {
  return breach(Misuse::status, instance, found, expected);
}

broch_status check_status(Instance& instance, const char* hook, broch_status status,
                          Outcomes outcomes) {
  if (status == BROCH_OK) return status;
  if (status < 0) {
    const PluginError error = failure(instance, hook, status);
    abort_if_asked(error.what());
    throw error;
  }
  if (status >= 32 || !(uint32_t(outcomes) >> status & 1))
    throw violation(instance, "returned " + std::to_string(status) + " from " + hook,
                    allowed(outcomes));
  if (status == BROCH_STOP) log_who_stops(instance, hook);
  return status;
}

broch_status check_changed_fp(Instance& instance, const char* hook, broch_status status,
                              Outcomes outcomes, const base::FpControl& before) {
  const base::FpControl after;
  before.restore();
  check_status(instance, hook, status, outcomes);
  char found[80];
  char expected[80];
  std::snprintf(found, sizeof found, "control registers 0x%x and 0x%x after ", after.simd(),
                after.x87());
  std::snprintf(expected, sizeof expected, "0x%x and 0x%x as before", before.simd(), before.x87());
  throw breach(Misuse::environment, instance,
               "left floating-point control changed: " + std::string(found) + hook, expected);
}

void came_back_astray(Instance& instance, const char* hook) {
  if (in_forked_child()) end_forked_child(instance, hook);
  throw violation(instance, "jumped over a call of the host in " + std::string(hook),
                  "no longjmp out of what the host called");
}

void plugin_threw(Instance& instance, const char* hook) {
  if (in_forked_child()) end_forked_child(instance, hook);
  try {
    throw;
  } catch (const base::Error&) {
    throw;  // of the host, which prepares and completes some calls of plugins inside the guard
  } catch (...) {
    throw breach(Misuse::exception, instance, "let " + escaped_exception() + " escape from " + hook,
                 "a status and no exception");
  }
}

}  // namespace broch::abi
