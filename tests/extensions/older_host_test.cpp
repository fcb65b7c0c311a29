// older_host_test.cpp: the C++ layer on a host whose tables lack the entries that came later.
#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <string>

#include "broch/broch.hpp"

namespace {

std::map<std::string, const void*> tables;
int calls = 0;

broch_status count() {
  ++calls;
  return BROCH_OK;
}
const broch_host host{sizeof(broch_host),
                      0,
                      2,
                      0,
                      [](const broch_host*, const char* id) { return tables[id]; },
                      [](const broch_host*, broch_status code, const char*) { return code; },
                      [](const broch_host*) { return ""; },
                      [](const broch_host*, int32_t, const char*) {}};

// Behind the end of its tables lies what must not be called.
struct OlderHost {
  broch_host_metrics metrics{};
  broch_host_collections collections{};
  broch_host_checkpoint checkpoint{};

  explicit OlderHost(bool is_older) {
    calls = 0;
    tables = {{BROCH_EXT_METRICS, &metrics},
              {BROCH_EXT_COLLECTIONS, &collections},
              {BROCH_EXT_CHECKPOINT, &checkpoint}};
    metrics.prefix_push = [](const broch_host*, const char*) { return count(); };
    metrics.prefix_pop = [](const broch_host*) { return count(); };
    collections.published = [](const broch_host*, const char*, uint32_t, const char**, uint32_t,
                               uint32_t*) { return count(); };
    checkpoint.select = [](const broch_host*, const char*, uint32_t) { return count(); };
    checkpoint.retain_steps = [](const broch_host*, const char*, uint64_t) { return count(); };
    metrics.struct_size = is_older ? offsetof(broch_host_metrics, prefix_push) : sizeof metrics;
    collections.struct_size =
        is_older ? offsetof(broch_host_collections, published) : sizeof collections;
    checkpoint.struct_size = is_older ? offsetof(broch_host_checkpoint, select) : sizeof checkpoint;
  }
};

// Whether the host has it; anything else ends the test.
template <class Use>
bool has(Use&& use) {
  try {
    use(broch::Host(&host));
    return true;
  } catch (const broch::Error& error) {
    CHECK(error.status() == BROCH_E_UNIMPLEMENTED);
    CHECK(std::string(error.what()).find("this host ") != std::string::npos);
    return false;
  }
}

}  // namespace

TEST_CASE("older host: what it lacks is said, and nothing behind its tables is called") {
  for (const bool is_older : {true, false}) {
    CAPTURE(is_older);
    const OlderHost older(is_older);
    CHECK(has([](const broch::Host& host) { broch::MetricPrefix(broch::Metrics(host), "a/"); }) !=
          is_older);
    CHECK(has([](const broch::Host& host) { broch::Collections(host).published(); }) != is_older);
    CHECK(has([](const broch::Host& host) { broch::Collections(host).published("tower1"); }) !=
          is_older);
    CHECK(has([](const broch::Host& host) {
            broch::Checkpoints(host).select(BROCH_VARIABLE_MODEL);
          }) != is_older);
    CHECK(has([](const broch::Host& host) { broch::Checkpoints(host).retain_steps(9); }) !=
          is_older);
    CHECK(calls == (is_older ? 0 : 8));
  }
}
