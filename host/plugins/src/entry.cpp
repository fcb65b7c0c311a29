// entry.cpp: compatibility rules for versions and struct sizes.
#include "plugins/entry.hpp"

#include <broch/entry.h>

#include <cstdio>
#include <utility>

#include "base/error.hpp"

namespace broch::plugins {
namespace {

using base::Diagnostic;
using base::Error;
using base::Exit;

std::string hexadecimal(uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", number);
  return text;
}

std::string version(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

// Until 1.0, every minor version may change the interface, so the versions must be equal.
bool same_interface(const EntryFields& entry) {
  if (entry.abi_major != BROCH_ABI_MAJOR) return false;
  return BROCH_ABI_MAJOR > 0 || entry.abi_minor == BROCH_ABI_MINOR;
}

std::string rebuild(const EntryFields& entry) {
  const bool older = std::pair{entry.abi_major, entry.abi_minor} <
                     std::pair<uint32_t, uint32_t>{BROCH_ABI_MAJOR, BROCH_ABI_MINOR};
  if (older) return "rebuild the library with the headers of Broch's interface " + host_interface();
  return "update Broch, or rebuild the library with the headers of interface " + host_interface();
}

}  // namespace

std::string host_interface() { return version(BROCH_ABI_MAJOR, BROCH_ABI_MINOR); }

void check_entry(const EntryFields& entry, const std::string& where) {
  if (entry.magic != BROCH_ENTRY_MAGIC)
    throw Error(Exit::plugin,
                Diagnostic{where, "magic of broch_entry_v1 is " + hexadecimal(entry.magic),
                           hexadecimal(BROCH_ENTRY_MAGIC),
                           "define the entry with BROCH_PLUGIN of broch/entry.h"});
  if (!same_interface(entry))
    throw Error(
        Exit::plugin,
        Diagnostic{where, "built for interface " + version(entry.abi_major, entry.abi_minor),
                   "interface " + host_interface() + " of this host", rebuild(entry)});
  if (entry.struct_size < sizeof(broch_entry))
    throw Error(
        Exit::plugin,
        Diagnostic{where, "broch_entry_v1 has " + std::to_string(entry.struct_size) + " bytes",
                   "at least " + std::to_string(sizeof(broch_entry)),
                   "define the entry with BROCH_PLUGIN of broch/entry.h"});
  if (entry.min_host_minor > BROCH_ABI_MINOR)
    throw Error(
        Exit::plugin,
        Diagnostic{where,
                   "needs a host of interface " + version(entry.abi_major, entry.min_host_minor) +
                       " or newer",
                   "at most " + host_interface() + ", which this host has", "update Broch"});
  if (entry.flags != 0)
    throw Error(Exit::plugin,
                Diagnostic{where, "flags of broch_entry_v1 are " + hexadecimal(entry.flags),
                           "0, since this host knows no flag", "update Broch"});
}

}  // namespace broch::plugins
