// mutation_test.cpp: damaged manifests and overrides give a manifest or an Error with a text.
// BROCH_MUTATIONS changes the number of mutations (for runs under sanitizers or overnight).
#include <cstdlib>
#include <random>

#include "support.hpp"
#include "world.hpp"

namespace {

#ifdef __SANITIZE_THREAD__  // which has nothing to find in one thread, and takes minutes for it
constexpr int kMutations = 1'000;
#else
constexpr int kMutations = 100'000;
#endif
constexpr uint64_t kSeed = 20260101;

const std::string kManifests[] = {
    support::minimal(),
    R"({"broch": 1, "model": "m.net", "data": {"use": "feed"}, // comment
        "callbacks": [{"use": "a.b", "when": {"every_k_steps": 2}, "name": "n"}, "c.d",],
        "steps_per_epoch": {"samples": 100}, "predict_tower": -1, "tower": [1, 2]})",
    R"({"broch": 1, "name": "\u00e9\ud83d\ude00", "seed": 9223372036854775807,
        "trainer": {"use": "org.x", "with": {"a": [1e-3, null, true, {"b": -0.0}]}},
        "runtime": {"level": "fast", "threads": 2}, "session_init": ["r.s", {"ref": "q"}]})",
    R"({"broch": 1, "extends": ["base.json"], "vars": {"a": {"b": "${vars.n}/${env:DIR}"}, "n": 3},
        "model": {"with": {"x": "${vars.a}", "y": "$${z} ${name} ${manifest.dir}"}},
        "max_epoch": "${env:NONE:-${vars.n}}", "name": "a${env:MY_TOKEN}", "seed": "${env:N}"})",
};

// What one of them extends.
const std::string kMutatedBase =
    R"({"broch": 1, "model": {"use": "m.net"}, "dataflow": "d.set", "vars": {"n": [1]}})";

const std::string kOverrides[] = {"trainer.use=simple",
                                  "callbacks[n].with.max=3",
                                  "~callbacks[0]",
                                  "+callbacks={\"use\": \"x.y\"}",
                                  "steps_per_epoch.samples=7",
                                  "model.with[\"a.b\"]=[1, 2]",
                                  "runtime.level=fast",
                                  "vars.n=${vars.a.b}",
                                  "model.with.x=$${${env:N:-1}"};

const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ":",
                                          ",",
                                          "\"",
                                          "\\",
                                          "\\u",
                                          "d800",
                                          "0",
                                          "-",
                                          "1e9",
                                          "e999",
                                          ".",
                                          "null",
                                          "true",
                                          "/*",
                                          "*/",
                                          "//",
                                          "\n",
                                          "\t",
                                          " ",
                                          "\x01",
                                          "\xC3",
                                          "\xE2\x82\xAC",
                                          "\xFF",
                                          "use",
                                          "with",
                                          "when",
                                          "ref",
                                          "=",
                                          "~",
                                          "+",
                                          "99999999999999999999",
                                          "[[[[[[[[",
                                          "broch",
                                          "${",
                                          "$${",
                                          "${vars.n}",
                                          "${vars.a}",
                                          "env:",
                                          ":-",
                                          "extends",
                                          "base.json",
                                          "\"a\": 1,"};

class Mutator {
 public:
  std::string operator()(std::string text) {
    for (size_t n = below(3) + 1; n > 0; --n) {
      const size_t at = below(text.size() + 1);
      switch (below(5)) {
        case 0:
          text.insert(at, kPieces[below(kPieces.size())]);
          break;
        case 1:
          text.erase(at, below(6) + 1);
          break;
        case 2:
          text.insert(at, text.substr(below(text.size() + 1), below(40)));
          break;
        case 3:
          text.resize(at);
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(random_());
      }
    }
    return text;
  }

  size_t below(size_t end) { return random_() % end; }

 private:
  std::mt19937_64 random_{kSeed};
};

}  // namespace

TEST_CASE("mutation: a damaged manifest gives a manifest or an error with a text") {
  const char* wanted = std::getenv("BROCH_MUTATIONS");
  const int rounds = wanted == nullptr ? kMutations : std::atoi(wanted);
  Mutator mutate;
  support::World world;
  world.files["/runs/one/base.json"] = kMutatedBase;
  world.environment = {{"DIR", "/d"}, {"N", "7"}, {"MY_TOKEN", "${x}"}};
  int loaded = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = kManifests[mutate.below(std::size(kManifests))];
    std::vector<std::string> overrides;
    if (mutate.below(4) > 0) text = mutate(text);
    if (mutate.below(2) == 0) {
      overrides.push_back(mutate(kOverrides[mutate.below(std::size(kOverrides))]));
    }
    try {
      const auto manifest = world.load(text, overrides);
      // What was accepted is accepted again in its resolved form.
      const std::string resolved = manifest.resolved_text();
      if (world.load(resolved).resolved_text() != resolved) FAIL("round " << round << "\n" << text);
      ++loaded;
    } catch (const broch::base::Error& error) {
      if (std::string(error.what()).empty()) FAIL("round " << round << ": no message");
    }
  }
  MESSAGE(loaded << " of " << rounds << " were loaded, seed " << kSeed);
  CHECK(loaded > 0);
  CHECK(loaded < rounds);
}
