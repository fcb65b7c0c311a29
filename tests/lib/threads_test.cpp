// threads_test.cpp: many threads, several models, cancellation, and what is left after closing.
#include <atomic>
#include <chrono>
#include <thread>

#include "resident.hpp"
#include "small_bundle.hpp"

using namespace broch;
using namespace broch::lib_test;
using test::Folder;

namespace {

constexpr int kProducts = 300;  // of matrices, in a long run

bool runs_right(libbroch_model* model, int64_t batch, float first) {
  std::vector<float> x = input(batch, first), y(size_t(batch) * 2);
  const libbroch_tensor in = tensor(x, {batch, 3});
  libbroch_tensor out[] = {memory(y), libbroch_memory(nullptr, 0)};
  const bool works = libbroch_run(model, &in, 1, out, 2, nullptr, nullptr) == LIBBROCH_OK;
  libbroch_free(out[1].data);
  return works && y == by_hand(x);
}

}  // namespace

TEST_CASE("lib: eight threads on two models") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  const Model a = open(file), b = open(file);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i)
        if (!runs_right((i + t) % 2 ? a.get() : b.get(), 1 + (i * 7 + t) % 5, float(t))) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("lib: opening and closing many times keeps no memory") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const Model model = open(file);
      REQUIRE(runs_right(model.get(), 1 + i % 3, 1));
    }
  };
  rounds(50);
  const int64_t before = test::resident();
  rounds(200);
  CHECK(test::resident() < before + 2048);  // KiB; a model that stayed would be 10 each time
}

TEST_CASE("lib: threads that open and close") {
  const Folder folder;
  const std::string file = write_bundle(folder);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        libbroch_model* model = nullptr;
        if (libbroch_open(file.c_str(), nullptr, &model, nullptr) || !runs_right(model, 2, 1))
          ++wrong;
        libbroch_close(model);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("lib: a run that is cancelled, and the next one") {
  const Folder folder;
  const Model model = open(write_bundle(folder));
  std::vector<float> x = input(1, 1), y(2);
  const libbroch_tensor in = tensor(x, {1, 3});
  const std::unique_ptr<libbroch_cancel, void (*)(libbroch_cancel*)> cancel(libbroch_cancel_new(),
                                                                            libbroch_cancel_free);
  libbroch_error error{};
  const auto run = [&] {
    libbroch_tensor out[] = {memory(y), libbroch_memory(nullptr, 0)};
    const libbroch_status status = libbroch_run(model.get(), &in, 1, out, 2, cancel.get(), &error);
    if (status) CHECK(out[1].data == nullptr);
    libbroch_free(out[1].data);
    return status;
  };
  libbroch_cancel_set(cancel.get());
  CHECK(run() == LIBBROCH_CANCELLED);
  CHECK(std::string(error.message).find("libbroch_cancel_reset") != std::string::npos);
  libbroch_cancel_reset(cancel.get());
  CHECK(run() == LIBBROCH_OK);
  // From another thread, while runs follow each other.
  std::atomic<int> done{0};
  std::thread other([&] {
    while (done < 10) std::this_thread::yield();
    libbroch_cancel_set(cancel.get());
  });
  libbroch_status status = LIBBROCH_OK;
  while (status == LIBBROCH_OK) {
    status = run();
    ++done;
  }
  other.join();
  CHECK(status == LIBBROCH_CANCELLED);
  libbroch_cancel_reset(cancel.get());
  CHECK(run() == LIBBROCH_OK);
  CHECK(y == by_hand(x));
}

TEST_CASE("lib: a long run ends after the operator that it is computing") {
  const Folder folder;
  bundle::write(folder / "long", runtime::backend(), {graph_test::products(kProducts), {}, {}});
  const std::unique_ptr<libbroch_cancel, void (*)(libbroch_cancel*)> cancel(libbroch_cancel_new(),
                                                                            libbroch_cancel_free);
  using Clock = std::chrono::steady_clock;
  for (const int32_t level : {LIBBROCH_FAST, LIBBROCH_EAGER}) {
    CAPTURE(level);
    libbroch_options options = libbroch_default_options();
    options.level = level;
    const Model model = open(folder / "long", &options);
    std::vector<float> x(300 * 300, 0), y(x);
    const libbroch_tensor in = tensor(x, {300, 300});
    const auto run = [&] {
      libbroch_tensor out = memory(y);
      return libbroch_run(model.get(), &in, 1, &out, 1, cancel.get(), nullptr);
    };
    libbroch_cancel_reset(cancel.get());
    REQUIRE(run() == LIBBROCH_OK);  // makes the program
    const Clock::time_point start = Clock::now();
    REQUIRE(run() == LIBBROCH_OK);
    const Clock::duration whole = Clock::now() - start;
    libbroch_status status = LIBBROCH_OK;
    for (int attempt = 0; attempt < 20 && status == LIBBROCH_OK; ++attempt) {
      libbroch_cancel_reset(cancel.get());
      std::thread other([&] {
        std::this_thread::sleep_for(whole / 5);  // on a busy machine this may be too late
        libbroch_cancel_set(cancel.get());
      });
      status = run();
      other.join();
    }
    CHECK(status == LIBBROCH_CANCELLED);
    libbroch_cancel_reset(cancel.get());
    CHECK(run() == LIBBROCH_OK);
  }
}
