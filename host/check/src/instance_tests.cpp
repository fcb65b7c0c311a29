// instance_tests.cpp: tests of create, get_interface and destroy.
#include <malloc.h>

#include <algorithm>

#include "abi/roles.hpp"
#include "base/error.hpp"
#include "made_options.hpp"
#include "process_state.hpp"
#include "tests.hpp"
#include "verdict.hpp"
#include "world.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// gcc 12 has the function but not its header.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace broch::check {
namespace {

// Bytes in use on the heap.
size_t memory_in_use() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#endif
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::unique_ptr<Made> make_or_skip(Subject& subject, World& world, const value::Value& options) {
  try {
    return world.make(entry_of(subject, options));
  } catch (const base::Error& error) {
    throw Skipped("refuses: " + std::string(error.what()));
  }
}

// Creates the host's object for a role; this fails if the table or a required entry is missing.
void make_role(abi::Instance& instance, const std::string& role) {
  if (role == "callback") abi::Callback::make(instance);
  if (role == "dataflow") abi::DataFlow::make(instance);
  if (role == "function") abi::Function::make(instance);
  if (role == "gradient_processor") abi::GradientProcessor::make(instance);
  if (role == "inferencer") abi::Inferencer::make(instance);
  if (role == "input_source") abi::InputSource::make(instance);
  if (role == "model") abi::Model::make(instance);
  if (role == "monitor") abi::Monitor::make(instance);
  if (role == "optimizer") abi::Optimizer::make(instance);
  if (role == "session_init") abi::SessionInit::make(instance);
  if (role == "sink") abi::Sink::make(instance);
  if (role == "trainer") abi::Trainer::make(instance);
  if (role == "transform") abi::Transform::make(instance);
}

// role/monitor.h, input_source.h and trainer.h allow this without listing the role.
bool may_also_play(const std::vector<std::string>& roles, const std::string& role) {
  const auto plays = [&roles](const char* name) {
    return std::find(roles.begin(), roles.end(), name) != roles.end();
  };
  return role == "callback" && (plays("monitor") || plays("input_source") || plays("trainer"));
}

void require_nothing_for(abi::Instance& instance, const std::string& id) {
  if (instance.get_interface(id.c_str()))
    throw Failed("get_interface answers '" + id +
                 "', which is no interface of it\n  hint: compare "
                 "the whole id, and list every role in the metadata");
}

std::string test_create(Subject& subject) {
  subject.library();
  World world(subject);
  const value::Value options = usual_options(subject);
  std::string refusal;
  try {
    world.make(entry_of(subject, options));
  } catch (const base::Error& error) {
    refusal = error.what();
  }
  subject.watch().require_answers();
  subject.watch().require_none({abi::Misuse::environment});
  if (!refusal.empty()) throw Skipped("refuses: " + refusal);
  return "";
}

std::string test_interfaces(Subject& subject) {
  World world(subject);
  const auto made = make_or_skip(subject, world, usual_options(subject));
  const std::vector<std::string>& roles = subject.component().roles;
  for (const std::string& role : roles) {
    make_role(*made->instance, role);
    require_nothing_for(*made->instance, "broch." + role + "/1x");
    require_nothing_for(*made->instance, "broch." + role + "/");
    require_nothing_for(*made->instance, "broch." + role + "/2");
  }
  for (const std::string& role : plugins::known_roles())
    if (std::find(roles.begin(), roles.end(), role) == roles.end() && !may_also_play(roles, role))
      require_nothing_for(*made->instance, "broch." + role + "/1");
  for (const char* id : {"", "broch.", "org.example.nothing/1"})
    require_nothing_for(*made->instance, id);
  return "";
}

std::string test_create_destroy(Subject& subject) {
  World world(subject);
  const manifest::Component component = entry_of(subject, usual_options(subject));
  make_or_skip(subject, world, usual_options(subject));
  const int count = subject.options().creations;
  const int warm = count / 5;
  size_t threads = 0, files = 0, memory = 0;
  for (int i = 0; i < count; ++i) {
    if (i == warm) threads = count_threads(), files = count_files(), memory = memory_in_use();
    world.make(component);
  }
  subject.watch().require_answers();
  const std::string after = " after " + std::to_string(count - warm) + " instances";
  if (const size_t now = count_threads_beyond(threads); now > threads)
    throw Failed(std::to_string(now - threads) + " more threads" + after);
  if (count_files() > files)
    throw Failed(std::to_string(count_files() - files) + " more open files" + after);
  // A leak per instance takes at least 24 bytes, the size of the smallest allocation. A constant
  // amount, or one that only some instances take, is no leak.
  const size_t limit = 4096 + size_t(count - warm) * 16;
  if (const size_t now = memory_in_use(); now > memory + limit)
    throw Failed(std::to_string((now - memory) / size_t(count - warm)) +
                 " bytes more memory for each instance" + after);
  return std::to_string(count) + " instances";
}

}  // namespace

std::vector<Test> instance_tests() {
  return {
      {"create", "creates an instance from the required options, or gives a reason", Stage::create,
       &test_create, true},
      {"interfaces", "has complete tables for its roles, and no others", Stage::component,
       &test_interfaces, true},
      {"create-destroy", "many instances leave no threads, files and memory behind",
       Stage::component, &test_create_destroy, true},
  };
}

}  // namespace broch::check
