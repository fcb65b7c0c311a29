// unique.cpp: what leaks out of a C++ library when nothing keeps it local: inline variables and
// static locals, which g++ makes unique in the whole process, and templates of namespace std, which
// stay visible under -fvisibility=hidden.
#include <broch/entry.h>

#include <string>
#include <vector>

template <class T>
struct Counter {
  static inline T value{};
};

inline std::string& name() {
  static std::string text;
  return text;
}

static broch_status create(const broch_host*, const char* options, void** self) {
  name() = options;
  Counter<std::vector<int>>::value.push_back(++Counter<int>::value);
  *self = &Counter<int>::value;
  return 0;
}

static const void* get_interface(void*, const char*) { return nullptr; }

static void destroy(void*) { --Counter<int>::value; }

static const broch_component_vtable vtable = {sizeof(vtable), 0, create, get_interface, destroy};
static const broch_component components[] = {{"org.example.unique", "callback", &vtable}};

BROCH_PLUGIN(components,
             "{\"components\": [{\"id\": \"org.example.unique\", \"role\": \"callback\","
             " \"version\": \"1.0.0\", \"summary\": \"Does nothing.\", \"options\": {}}]}")
