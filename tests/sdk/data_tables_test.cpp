// data_tables_test.cpp: the tables that the C++ layer makes for the roles of data.
#include <doctest/doctest.h>

#include <broch/broch.hpp>

namespace {

class Undecided final : public broch::Indexed {
 public:
  bool indexed() const override { throw broch::Error("the child has gone"); }
  std::optional<int64_t> size() override { return std::nullopt; }
  bool read(const broch::Position&, const broch::Cancel&, broch::PointWriter&) override {
    return false;
  }
};

std::string reason;

const void* nothing(const broch_host*, const char*) { return nullptr; }
broch_status note_reason(const broch_host*, broch_status code, const char* text) {
  reason = text;
  return code;
}

}  // namespace

TEST_CASE("indexed: what indexed() throws does not leave the plugin, but is reported") {
  broch_host host{};
  host.struct_size = sizeof host;
  host.get_extension = nothing;
  host.fail = note_reason;
  broch::Self<Undecided> self(&host, [](const broch::Host&) { return Undecided(); });
  CHECK(broch::glue::get_interface<Undecided>(&self, BROCH_ROLE_INDEXED) == nullptr);
  CHECK(reason == "the child has gone");
}
