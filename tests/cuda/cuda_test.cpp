// cuda_test.cpp: trainings on a GPU compute what the same trainings compute on the CPU, repeat with
// the same bits, and go on with them. Without a GPU, nothing is tested.
#include <doctest/doctest.h>

#include "gpu.hpp"

using namespace broch::test_cuda;

TEST_CASE("cuda: a training computes what it computes on the CPU") {
  if (!has_gpu()) return;
  check_alike(trained(digits({kGpu}), 4), trained(digits({"cpu:0"}), 4));
}

TEST_CASE("cuda: every optimizer computes what it computes on the CPU") {
  if (!has_gpu()) return;
  for (const std::string rule :
       {"sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adadelta", "adamax", "nadam",
        "radam", "lion", "lamb", "adafactor"}) {
    CAPTURE(rule);
    Json gpu = digits({kGpu}, 2), cpu = digits({"cpu:0"}, 2);
    gpu["optimizer"] = cpu["optimizer"] = {{"use", rule}, {"with", {{"learning_rate", 1e-3}}}};
    check_alike(trained(gpu, 2), trained(cpu, 2));
  }
}

TEST_CASE("cuda: towers on one GPU, on a GPU and the CPU, as towers on the CPU") {
  if (!has_gpu()) return;
  for (const std::string trainer :
       {"sync-parameter-server", "sync-multi-gpu", "sync-replicated", "async", "allreduce"}) {
    CAPTURE(trainer);
    const Values cpu = trained(towers(trainer, {"cpu:0", "cpu:1"}), 4);
    check_alike(trained(towers(trainer, {kGpu, kGpu}), 4), cpu);
    check_alike(trained(towers(trainer, {kGpu, "cpu:0"}), 4), cpu);
  }
}

TEST_CASE("cuda: the same bits again, and after a resume") {
  if (!has_gpu()) return;
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    Json manifest = digits({kGpu}, 10);
    manifest["model"]["with"]["dropout"] = 0.3;
    manifest["runtime"]["deterministic"] = deterministic;
    check_repeats(manifest);
  }
}

TEST_CASE("cuda: inference and evaluation on the GPU") {
  if (!has_gpu()) return;
  const Folder folder;
  for (const Json& devices : {Json{kGpu}, Json{kGpu, "cpu:0"}}) {
    CAPTURE(devices.dump());
    Json manifest = digits({kGpu}, 40);
    manifest.erase("callbacks");  // those of the sample, with a test
    manifest["max_epoch"] = 10;
    manifest["predict_devices"] = devices;
    const Training training(folder, "run" + std::to_string(devices.size()), manifest);
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    CHECK(training.stats().back().at("test_error").get<double>() < 0.06);
  }
}

TEST_CASE("cuda: automatic devices are the GPU, and inference is there by itself") {
  if (!has_gpu()) return;
  const Folder folder;
  Json manifest = digits({"auto"}, 40);
  manifest.erase("callbacks");
  manifest["max_epoch"] = 10;
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  CHECK(training.talk().find("the devices auto are GPUs") != std::string::npos);
  CHECK(training.stats().back().at("test_error").get<double>() < 0.06);
}

TEST_CASE("cuda: a network of torch.export, and two networks against each other") {
  if (!has_gpu()) return;
  const auto exported = [](const char* device) -> Json {
    return {{"broch", 1},
            {"extends", SAMPLES "/exported/digits.json"},
            {"trainer", {{"use", "simple"}, {"with", {{"devices", {device}}}}}},
            {"callbacks", {"model-saver"}},
            {"max_epoch", 3}};
  };
  // It has a dropout, whose draws differ.
  const double on_gpu = cost(exported(kGpu)), on_cpu = cost(exported("cpu:0"));
  CHECK(on_gpu == doctest::Approx(on_cpu).epsilon(0.2));
  CHECK(on_gpu < 1);
  const Folder folder;
  const Training gan(folder, "gan",
                     {{"broch", 1},
                      {"extends", SAMPLES "/gan/gan.json"},
                      {"plugins", {DIGITS_GAN}},
                      {"trainer", {{"use", "gan"}, {"with", {{"devices", {kGpu}}}}}},
                      {"steps_per_epoch", 4},
                      {"max_epoch", 1}});
  CHECK_MESSAGE(gan.run() == 0, gan.talk());
}

TEST_CASE("cuda: ranks that share a GPU add over Gloo; NCCL refuses them at once") {
  if (!has_gpu()) return;
  Json manifest = digits({kGpu});
  manifest["trainer"]["use"] = "allreduce";
  const Values over_gloo = trained(manifest, 4, {"--ranks", "2"});
  manifest["trainer"]["with"]["devices"] = {"cpu:0"};
  check_alike(over_gloo, trained(manifest, 4, {"--ranks", "2"}));
  if (is_simulated()) return;
  manifest["trainer"]["with"]["devices"] = {kGpu};
  manifest["runtime"]["collectives"] = "nccl";
  const Folder folder;
  const Training over_nccl(folder, "nccl", manifest);
  CHECK(over_nccl.run({"--ranks", "2"}) == 8);
  CHECK(over_nccl.talk().find("a GPU of its own for each rank") != std::string::npos);
}

TEST_CASE("cuda: tensors that a tower makes are on its GPU") {
  if (!has_gpu()) return;
  // Positions, masks, first states, noise and weights of classes.
  const auto model = [](const char* use, const Json& with, const Json& components) -> Json {
    return {{"broch", 1},
            {"model", {{"use", use}, {"with", with}}},
            {"dataflow", {{"use", "fake"}, {"with", {{"size", 4}, {"components", components}}}}},
            {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.01}}}}},
            {"trainer", {{"use", "simple"}, {"with", {{"devices", {kGpu}}}}}},
            {"callbacks", {"model-saver"}},
            {"max_epoch", 1}};
  };
  const auto integers = [](const Json& shape, int64_t below) -> Json {
    return {{"shape", shape}, {"dtype", "int64"}, {"high", below}};
  };
  for (const std::string use : {"gpt", "lstm-lm"}) {
    CAPTURE(use);
    Json with{{"vocabulary", 13}, {"width", 8}, {"layers", 2}};
    if (use == "gpt") with.update({{"context", 10}, {"heads", 2}});
    if (use == "lstm-lm") with.update({{"units", 6}});
    trained(model(use.c_str(), with, {integers({3, 7}, 13), integers({3, 7}, 13)}), 4);
  }
  Json dcgan = model("dcgan", {{"image_size", 16}, {"channels", 3}, {"noise", 5}},
                     {{{"shape", {4, 3, 16, 16}}}});
  dcgan["trainer"]["use"] = "gan";
  trained(dcgan, 4);
}

TEST_CASE("cuda: what is measured of the GPU") {
  if (!has_gpu()) return;
  Json manifest = digits({kGpu}, 1000);
  manifest["callbacks"] = {"device-memory-tracker", "machine-tracker"};
  if (!is_simulated()) manifest["callbacks"].push_back("gpu-utilization-tracker");
  const Folder folder;
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const Json stats = training.stats().back();
  CAPTURE(stats.dump(1));
  CHECK(stats.at("PeakMemory(MB)/gpu:0").get<double>() > 1);
  if (!is_simulated()) CHECK(stats.at("GPUUtil/0").get<double>() > 0);
}

TEST_CASE("cuda: dump-tensors writes values on a GPU as those on the CPU") {
  if (!has_gpu()) return;
  const Folder folder;
  const auto dumped = [&](const char* name, const char* device) {
    Json manifest = digits({device}, 2);
    manifest["callbacks"] = {{{"use", "dump-tensors"}, {"with", {{"names", {"image", "label"}}}}}};
    const Training training(folder, name, manifest);
    CHECK_MESSAGE(training.run() == 0, training.talk());
    return training.text("DumpTensor-1.npz") + training.text("DumpTensor-2.npz");
  };
  const std::string on_cpu = dumped("cpu", "cpu:0");
  CHECK(on_cpu.size() > 2 * 16 * (64 * sizeof(float) + sizeof(int64_t)));
  CHECK((dumped("gpu", kGpu) == on_cpu));
}

TEST_CASE("cuda: what a GPU cannot do is refused") {
  if (!has_gpu()) return;
  for (const auto& [key, value] : {std::pair{"precision", "bf16"}, {"execution", "recorded"}}) {
    CAPTURE(key);
    Json manifest = digits({kGpu});
    manifest["runtime"][key] = value;
    const Folder folder;
    const Training training(folder, "run", manifest);
    CHECK(training.run() != 0);
    CHECK(training.talk().find("cuda:0") != std::string::npos);
    CHECK(training.talk().find("Epoch 1 (global_step") == std::string::npos);
  }
  const Folder folder;
  const Training none(folder, "run", digits({"cuda:7"}));
  CHECK(none.run() != 0);
  CHECK(none.talk().find("cuda:7") != std::string::npos);
}
