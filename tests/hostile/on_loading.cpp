// on_loading.cpp: a callback that does nothing, in a library whose constructor does what the build
// says (CMakeLists.txt).
#include <broch/broch.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <cstdlib>

namespace {

[[maybe_unused]] void wait_for_ever() {
  for (;;) pause();
}

struct OnLoading {
  OnLoading() { ACT; }
} on_loading;

broch_status create(const broch_host*, const char*, void**) { return BROCH_OK; }
const void* get_interface(void*, const char*) {
  static const broch_callback table = {sizeof table, 0,       nullptr, nullptr, nullptr, nullptr,
                                       nullptr,      nullptr, nullptr, nullptr, nullptr, nullptr};
  return &table;
}
void destroy(void*) {}

constexpr broch_component_vtable kVtable = {sizeof kVtable, 0, create, get_interface, destroy};
constexpr broch_component kComponents[] = {{"test.on-loading", "callback", &kVtable}};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "test.on-loading", "role": "callback", "version": "1.0.0", "summary": "Does nothing."}]})")
