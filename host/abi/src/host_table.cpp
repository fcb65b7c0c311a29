// host_table.cpp: the functions get_extension, fail, last_error and log.
#include "host_table.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>

#include "abi/asked_tables.hpp"
#include "abi/inspection.hpp"
#include "abi/serve.hpp"
#include "abort.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/version.h"
#include "cut_table.hpp"
#include "message.hpp"

namespace broch::abi {
namespace {

const void* extension_for(Instance& instance, const char* id) {
  if (auto* const asked = instance.context().find<AskedTables>()) asked->note(instance, id);
  const void* const table = instance.context().extension(id);
  Inspector* const present = inspector();
  return present ? present->extension(instance, id, table) : table;
}

const void* get_extension(const broch_host* host, const char* id) noexcept {
  broch_status status = BROCH_OK;
  const Caller instance(host, "get_extension", kNoScope, &status);
  if (!instance || !id) return nullptr;
  try {
    return extension_for(*instance, id);
  } catch (...) {
    error_from_exception();
    return nullptr;
  }
}

// A plugin may put the message of a child or of the host into a message of its own. Then the names
// of the first instance and the exit code are kept.
Message message_of(broch_status code, const char* text) {
  Message message{.text = text, .code = code, .by_plugin = true};
  const Message& earlier = last_message();
  const size_t place = message.text.find(earlier.text);
  const bool passes_on = thread_state().told_in_call() && !earlier.text.empty() &&
                         (earlier.names_plugin || earlier.code == code) &&
                         place != std::string::npos;
  if (passes_on) {
    message.introduced = place > 0;
    message.of_host = !earlier.by_plugin || earlier.of_host;
    message.names_plugin = earlier.names_plugin;
    message.has_exit = earlier.has_exit;
    message.exit = earlier.exit;
  }
  return message;
}

broch_status fail(const broch_host*, broch_status code, const char* text) noexcept try {
  if (code < 0) abort_if_asked(text ? text : "a failure without a reason");
  return tell(message_of(code, text ? text : ""));
} catch (...) {  // there is no memory for the text
  Message message;
  message.code = code;
  message.by_plugin = true;
  return tell(std::move(message));
}

const char* last_error(const broch_host*) { return last_message().text.c_str(); }

void log(const broch_host* host, int32_t level, const char* text) noexcept try {
  broch_status status = BROCH_OK;
  const Caller instance(host, "log", kNoScope, &status);
  const bool known = level >= BROCH_LOG_DEBUG && level <= BROCH_LOG_ERROR;
  base::log(
      known ? base::Level(level) : base::Level::info,
      (instance ? instance->name() : "unknown instance") + ": " + base::to_utf8(text ? text : ""));
} catch (...) {  // there is no memory for the line
  std::fprintf(stderr, "%s\n", text ? text : "");
}

// Members beyond `size` are left out.
broch_host make_host_table(uint32_t size) {
  const broch_host whole = {sizeof(broch_host), BROCH_ABI_MAJOR,
                            BROCH_ABI_MINOR,    0,
                            get_extension,      fail,
                            last_error,         log};
  broch_host table{};
  cut_table(&whole, size, &table, sizeof table);
  table.struct_size = std::min<uint32_t>(size, sizeof(broch_host));
  return table;
}

// Tables of instances that have ended, the latest last.
struct Retired {
  std::mutex mutex;
  std::deque<broch_host*> tables;
};

Retired& retired() {
  static Retired* const only = new Retired;
  return *only;
}

constexpr size_t kAtRest = 100;  // how many more instances must end before a table is reused

}  // namespace

const broch_host* lend_host_table(uint32_t size) {
  Retired& all = retired();
  const std::lock_guard lock(all.mutex);
  if (all.tables.size() <= kAtRest) return new broch_host(make_host_table(size));
  broch_host* const table = all.tables.front();
  all.tables.pop_front();
  *table = make_host_table(size);
  return table;
}

void retire_host_table(const broch_host* table) {
  Retired& all = retired();
  const std::lock_guard lock(all.mutex);
  all.tables.push_back(const_cast<broch_host*>(table));
}

}  // namespace broch::abi
