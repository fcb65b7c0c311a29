// placeholder.cpp: has no data; every input that is needed must be fed. tensorpack:
// `PlaceholderInput`.
#include <broch/broch.hpp>

namespace {

class Placeholder final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = BROCH_INPUT_PLACEHOLDER;
  explicit Placeholder(const broch::Host&) {}
  void setup(const broch_input_spec*, uint32_t) override {}
  void resume(const std::vector<std::string>&) override {}
  bool next(uint32_t, const broch::Cancel&, broch::PointWriter&) override { return true; }
};

}  // namespace

BROCH_INPUT_SOURCE(Placeholder, "broch.input_source.placeholder", "1.0.0",
                   "Has no data: every input that is needed must be fed.")
