// context_test.cpp: objects by type, tables by id.
#include "abi/context.hpp"

#include <doctest/doctest.h>

#include "abi/asked_tables.hpp"
#include "abi/extensions.hpp"
#include "probe.hpp"

using broch::abi::Context;

TEST_CASE("context: an object is found by its type, in its own context only") {
  Context one, two;
  int number = 3;
  one.provide<int>(&number);
  CHECK(one.find<int>() == &number);
  CHECK(one.find<double>() == nullptr);
  CHECK(two.find<int>() == nullptr);
}

TEST_CASE("context: an extension is found by its whole id, registered once") {
  Context context;
  broch::abi::register_extensions(context);
  CHECK(context.extension("broch.config/1"));
  CHECK_FALSE(context.extension("broch.config/2"));
  CHECK_FALSE(context.extension("broch.config"));
  CHECK(context.extension_ids() == std::vector<std::string>{"broch.config/1", "broch.instance/1",
                                                            "broch.profile/1", "broch.rng/1",
                                                            "broch.scope/1"});
  CHECK_THROWS(context.extend("broch.config/1", nullptr));
}

TEST_CASE("context: it is known which instance has asked for which extension") {
  broch::test::World world;
  broch::test::Probe one, two;
  const auto asking = world.make(one, "asking"), other = world.make(two, "other");
  broch::abi::AskedTables asked;
  world.context.provide<broch::abi::AskedTables>(&asked);
  for (int i = 0; i < 2; ++i) one.host->get_extension(one.host, "broch.config/1");
  one.host->get_extension(one.host, "broch.none/1");
  CHECK(asked.has(*asking, "broch.config/1"));
  CHECK(asked.has(*asking, "broch.none/1"));
  CHECK_FALSE(asked.has(*asking, "broch.config"));
  CHECK_FALSE(asked.has(*other, "broch.config/1"));
}
