// data_roles_test.cpp: what the roles of data ask of a plugin: dataflows, transforms, input
// sources.
#include <doctest/doctest.h>

#include "abi/point_notes.hpp"
#include "abi/roles.hpp"
#include "roles_fixture.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::error_of;
using broch::test::Probe;
using broch::test::RolesFixture;

TEST_CASE_FIXTURE(RolesFixture, "dataflow: reset_state is called until it succeeds, and once") {
  static int calls;
  calls = 0;
  const auto fails_at_first = [](void*) {
    return ++calls == 1 ? broch_status{BROCH_E_DATA_LOSS} : broch_status{BROCH_OK};
  };
  broch_dataflow stream{};
  stream.struct_size = sizeof stream;
  stream.reset_state = fails_at_first;
  stream.open = [](void*, const void*, uint64_t) { return broch_status{BROCH_OK}; };
  stream.next = [](void*, const broch_cancel*, broch_point) { return broch_status{BROCH_END}; };
  playing(BROCH_ROLE_DATAFLOW, &stream, "dataflow");
  CHECK(error_of([&] { DataFlow::make(*instance).reset_state(); }) != "");
  for (int parent = 0; parent < 2; ++parent) DataFlow::make(*instance).reset_state();
  CHECK(calls == 2);

  broch_indexed indexed{};
  indexed.struct_size = sizeof indexed;
  indexed.reset_state = fails_at_first;
  indexed.size = [](void*, int64_t*) { return broch_status{BROCH_NONE}; };
  indexed.read = [](void*, uint64_t, uint64_t, const broch_cancel*, broch_point) {
    return broch_status{BROCH_END};
  };
  calls = 1;
  playing(BROCH_ROLE_INDEXED, &indexed, "dataflow");
  Indexed::make(*instance).reset_state();
  DataFlow::make(*instance).reset_state();
  CHECK(calls == 2);
}

TEST_CASE_FIXTURE(RolesFixture, "dataflow: damaged data ends in exit code 5") {
  broch_dataflow table{};
  table.struct_size = sizeof table;
  table.open = [](void*, const void*, uint64_t) { return broch_status{BROCH_OK}; };
  table.next = [](void* self, const broch_cancel*, broch_point) {
    const broch_host* host = static_cast<Probe*>(self)->host;
    return host->fail(host, BROCH_E_DATA_LOSS, "row 3 of a.csv: found \"x\"");
  };
  table.size = [](void*, int64_t* size) {
    *size = -3;
    return broch_status{BROCH_OK};
  };
  DataFlow dataflow = DataFlow::make(playing(BROCH_ROLE_DATAFLOW, &table, "dataflow"));
  CHECK(error_of([&] { dataflow.next(nullptr, 0); }) ==
        "5: dataflow 'p' (test.probe) failed in next: row 3 of a.csv: found \"x\"");
  int64_t size = 0;
  CHECK(error_of([&] { dataflow.size(&size); }).find("answered -3 from size") != std::string::npos);
  table.size = nullptr;
  CHECK_FALSE(DataFlow::make(*instance).size(&size));
}

TEST_CASE_FIXTURE(RolesFixture, "dataflow: the cursor of a start is optional, and has a limit") {
  broch_dataflow table{};
  table.struct_size = sizeof table;
  table.open = [](void*, const void*, uint64_t) { return broch_status{BROCH_OK}; };
  table.next = [](void*, const broch_cancel*, broch_point) { return broch_status{BROCH_END}; };
  CHECK(DataFlow::make(playing(BROCH_ROLE_DATAFLOW, &table, "dataflow")).start_cursor() ==
        std::nullopt);
  table.start_cursor = [](void*, const broch_writer*) { return broch_status{BROCH_NONE}; };
  CHECK(DataFlow::make(*instance).start_cursor() == std::nullopt);
  table.start_cursor = [](void*, const broch_writer* cursor) {
    cursor->write(cursor->context, "2:", 2);
    return cursor->write(cursor->context, "-1", 2);
  };
  CHECK(DataFlow::make(*instance).start_cursor() == "2:-1");
  table.start_cursor = [](void*, const broch_writer* cursor) {
    const std::string text(BROCH_CURSOR_SIZE_MAX + 1, 'x');
    return cursor->write(cursor->context, text.data(), text.size());
  };
  CHECK(error_of([&] {
          DataFlow::make(*instance).start_cursor();
        }).find("wrote 65537 bytes in start_cursor") != std::string::npos);
  table.start_cursor = [](void*, const broch_writer*) { return broch_status{BROCH_OK}; };
  CHECK(error_of([&] {
          DataFlow::make(*instance).start_cursor();
        }).find("wrote 0 bytes in start_cursor") != std::string::npos);
}

TEST_CASE_FIXTURE(RolesFixture,
                  "transform: damaged data ends in exit code 5; flags are known ones") {
  broch_transform table{};
  table.struct_size = sizeof table;
  CHECK(error_of([&] {
          Transform::make(playing(BROCH_ROLE_TRANSFORM, &table, "transform"));
        }).find("apply") != std::string::npos);
  table.apply = [](void* self, uint64_t, broch_point, broch_point) {
    const broch_host* host = static_cast<Probe*>(self)->host;
    return host->fail(host, BROCH_E_DATA_LOSS, "found no JPEG file");
  };
  table.flags = 6;
  CHECK(error_of([&] { Transform::make(*instance); }).find("has the flags 6") != std::string::npos);
  table.flags = BROCH_TRANSFORM_MANY;
  Transform transform = Transform::make(*instance);
  CHECK(transform.flags() == BROCH_TRANSFORM_MANY);
  CHECK(error_of([&] { transform.apply(1, 0, 0); }) ==
        "5: transform 'p' (test.probe) failed in apply: found no JPEG file");
}

namespace {

// As if the caller had passed one point twice.
struct RefusingNotes : PointNotes {
  void after_read(Instance&, broch_point, uint64_t, uint64_t, bool) const override {}
  void set_cursor(Instance&, broch_point, std::string_view) const override {}
  void before_apply(Instance&, broch_point, broch_point, bool) const override {
    throw base::Error(base::Exit::training, "in and out are one point");
  }
  void after_apply(Instance&, broch_point, broch_point) const override {}
  std::string origin_of(Instance&, broch_point) const override { return ""; }
};

}  // namespace

TEST_CASE_FIXTURE(RolesFixture, "transform: what the host refuses is no exception of the plugin") {
  const RefusingNotes notes;
  world.context.provide<const PointNotes>(&notes);
  broch_transform table{};
  table.struct_size = sizeof table;
  table.apply = [](void*, uint64_t, broch_point, broch_point) { return broch_status{BROCH_OK}; };
  Transform transform = Transform::make(playing(BROCH_ROLE_TRANSFORM, &table, "transform"));
  CHECK(error_of([&] { transform.apply(1, 0, 0); }) == "1: in and out are one point");
}

TEST_CASE_FIXTURE(RolesFixture,
                  "transform: the seed depends on the key alone, and is another one each") {
  static std::vector<uint64_t> seeds;
  seeds.clear();
  broch_transform table{};
  table.struct_size = sizeof table;
  table.apply = [](void*, uint64_t seed, broch_point, broch_point) {
    seeds.push_back(seed);
    return broch_status{BROCH_OK};
  };
  Transform transform = Transform::make(playing(BROCH_ROLE_TRANSFORM, &table, "transform"));
  for (const uint64_t key : {1, 2, 1}) transform.apply(key, 0, 0);
  Transform::make(*instance).apply(2, 0, 0);
  CHECK(seeds[0] != seeds[1]);
  CHECK(seeds[0] == seeds[2]);
  CHECK(seeds[1] == seeds[3]);
}

namespace {

// Three points in each round; notes where it was read.
struct ThreePoints {
  broch_indexed table{};
  static std::vector<std::string>& reads() {
    static std::vector<std::string> list;
    return list;
  }

  ThreePoints() {
    reads().clear();
    table.struct_size = sizeof table;
    table.size = [](void*, int64_t* size) {
      *size = 3;
      return broch_status{BROCH_OK};
    };
    table.read = [](void*, uint64_t round, uint64_t index, const broch_cancel*, broch_point) {
      if (index >= 3) return broch_status{BROCH_END};
      reads().push_back(cursor_of({round, index}));
      return broch_status{BROCH_OK};
    };
  }
  static std::string last() { return reads().empty() ? "" : reads().back(); }
};

}  // namespace

TEST_CASE_FIXTURE(RolesFixture, "indexed: size and read are needed; a cursor has two numbers") {
  ThreePoints three;
  broch_indexed none = three.table;
  none.read = nullptr;
  CHECK(error_of([&] {
          Indexed::make(playing(BROCH_ROLE_INDEXED, &none, "dataflow"));
        }).find("read") != std::string::npos);
  Indexed indexed = Indexed::make(playing(BROCH_ROLE_INDEXED, &three.table, "dataflow"));
  const Position found = indexed.locate("18446744073709551615:7");
  CHECK(found.round == UINT64_MAX);
  CHECK(found.index == 7);
  for (const char* bad : {"", "3", "3:", ":3", "3:x", "3:4 ", "-1:0", "0:18446744073709551616"}) {
    CAPTURE(bad);
    const std::string error = error_of([&] { indexed.locate(bad); });
    CHECK(error.substr(0, 2) == "5:");
    CHECK(error.find("expected ROUND:NEXT, two numbers") != std::string::npos);
  }
  // Its own cursors, if it has locate.
  three.table.locate = [](void*, const void*, uint64_t size, uint64_t* round, uint64_t* index) {
    *round = 5;
    *index = size;
    return broch_status{BROCH_OK};
  };
  const Position own = Indexed::make(*instance).locate("four");
  CHECK(own.round == 5);
  CHECK(own.index == 4);
  // As if it had none.
  three.table.locate = [](void*, const void*, uint64_t, uint64_t*, uint64_t*) {
    return broch_status{BROCH_E_UNIMPLEMENTED};
  };
  const Position usual = Indexed::make(*instance).locate("6:7");
  CHECK(usual.round == 6);
  CHECK(usual.index == 7);
}

TEST_CASE_FIXTURE(RolesFixture,
                  "input source: one that does not implement resume is reset instead") {
  static std::vector<std::string> calls;
  calls.clear();
  broch_input_source table{};
  table.struct_size = sizeof table;
  table.setup = [](void*, const broch_input_spec*, uint32_t) { return broch_status{BROCH_OK}; };
  table.next = [](void*, uint32_t, const broch_cancel*, broch_point) {
    return broch_status{BROCH_END};
  };
  table.reset_state = [](void*) {
    calls.emplace_back("reset_state");
    return broch_status{BROCH_OK};
  };
  table.resume = [](void*, const broch_bytes*, uint32_t) {
    calls.emplace_back("resume");
    return broch_status{BROCH_E_UNIMPLEMENTED};
  };
  InputSource source = InputSource::make(playing(BROCH_ROLE_INPUT_SOURCE, &table, "input_source"));
  const std::vector<std::string> cursors = {"7"};
  CHECK(source.can_resume());
  source.resume(cursors);
  CHECK_FALSE(source.can_resume());
  // A parent that has seen the entry calls it, and gets a source that is ready.
  const Interface child = child_interface(*instance, BROCH_ROLE_INPUT_SOURCE);
  const auto* const lent = static_cast<const broch_input_source*>(child.table);
  const broch_bytes cursor = {"7", 1};
  REQUIRE((lent->resume != nullptr));
  CHECK(lent->resume(child.self, &cursor, 1) == BROCH_OK);
  CHECK(calls == std::vector<std::string>{"resume", "resume", "reset_state"});
}

TEST_CASE_FIXTURE(
    RolesFixture,
    "indexed: a parent that wants one point after the other gets them, round by round") {
  ThreePoints three;
  DataFlow flow = DataFlow::make(playing(BROCH_ROLE_INDEXED, &three.table, "dataflow"));
  int64_t size = 0;
  CHECK(flow.size(&size));
  CHECK(size == 3);
  CHECK(flow.has_start_cursor());
  for (int round = 0; round < 3; ++round) {
    flow.open(nullptr, 0);
    CHECK(flow.start_cursor() == std::to_string(round) + ":0");
    for (int i = 0; i < 3; ++i) {
      CHECK(flow.next(nullptr, 0) == BROCH_OK);
      CHECK(three.last() == std::to_string(round) + ":" + std::to_string(i));
    }
    CHECK(flow.next(nullptr, 0) == BROCH_END);
    CHECK(flow.next(nullptr, 0) == BROCH_END);
  }
  flow.open("7:2", 3);
  CHECK(flow.start_cursor() == "7:2");
  CHECK(flow.next(nullptr, 0) == BROCH_OK);
  CHECK(three.last() == "7:2");
  CHECK(flow.next(nullptr, 0) == BROCH_END);
  flow.open(nullptr, 0);  // the round after that
  CHECK(flow.next(nullptr, 0) == BROCH_OK);
  CHECK(three.last() == "8:0");
  flow.open(nullptr, 0);  // in the middle of a round
  CHECK(flow.next(nullptr, 0) == BROCH_OK);
  CHECK(three.last() == "9:0");
  // Copies share the place.
  DataFlow copy = flow;
  CHECK(copy.next(nullptr, 0) == BROCH_OK);
  CHECK(flow.next(nullptr, 0) == BROCH_OK);
  CHECK(three.last() == "9:2");
}
