// several_test.cpp: trainings on several GPUs compute what the same trainings compute on the CPU.
#include <doctest/doctest.h>

#include <cstdlib>

#include "gpu.hpp"

using namespace broch::test_cuda;

TEST_CASE("several GPUs: every strategy, as towers on the CPU") {
  if (!has_gpus(2)) return;
  for (const std::string trainer :
       {"sync-parameter-server", "sync-multi-gpu", "sync-replicated", "async", "allreduce"}) {
    CAPTURE(trainer);
    check_alike(trained(towers(trainer, {"cuda:0", "cuda:1"}), 4),
                trained(towers(trainer, {"cpu:0", "cpu:1"}), 4));
  }
}

TEST_CASE("several GPUs: variables that are spread over them, and sums over the devices") {
  if (!has_gpus(2)) return;
  Json manifest = towers("sync-parameter-server", {"cuda:0", "cuda:1"});
  manifest["trainer"]["with"]["ps_device"] = "gpu";
  check_alike(trained(manifest, 4),
              trained(towers("sync-parameter-server", {"cpu:0", "cpu:1"}), 4));
  const Values cpu = trained(towers("sync-replicated", {"cpu:0", "cpu:1"}), 4);
  for (const std::string mode : {"cpu", "gpu", "nccl", "hierarchical"}) {
    CAPTURE(mode);
    Json replicated = towers("sync-replicated", {"cuda:0", "cuda:1"});
    replicated["trainer"]["with"]["mode"] = mode;
    check_alike(trained(replicated, 4), cpu);
  }
}

TEST_CASE("several GPUs: eight, added in two groups of four") {
  if (!has_gpus(8) && !is_simulated()) return;
  Json gpus = Json::array(), processors = Json::array();
  for (int i = 0; i < 8; ++i) {
    gpus.push_back("cuda:" + std::to_string(i));
    processors.push_back("cpu:" + std::to_string(i));
  }
  Json on_gpus = towers("sync-replicated", gpus),
       on_processor = towers("sync-replicated", processors);
  for (Json* manifest : {&on_gpus, &on_processor})
    (*manifest)["trainer"]["with"]["mode"] = "hierarchical";
  const std::string before = is_simulated() ? std::getenv("BROCH_SIMULATED_GPUS") : "";
  if (is_simulated()) setenv("BROCH_SIMULATED_GPUS", "8", 1);
  const Values found = trained(on_gpus, 4);
  if (is_simulated()) setenv("BROCH_SIMULATED_GPUS", before.c_str(), 1);
  check_alike(found, trained(on_processor, 4));
}

TEST_CASE("several GPUs: one for each rank") {
  if (!has_gpus(2)) return;
  Json manifest = towers("allreduce", {"cuda"});
  manifest["runtime"]["collectives"] = is_simulated() ? "gloo" : "nccl";
  check_alike(trained(manifest, 4, {"--ranks", "2"}),
              trained(towers("allreduce", {"cpu"}), 4, {"--ranks", "2"}));
}

TEST_CASE("several GPUs: a rank that sees one GPU, but is not the first of its machine") {
  if (!is_simulated()) return;
  const std::string before = std::getenv("BROCH_SIMULATED_GPUS");
  setenv("BROCH_SIMULATED_GPUS", "1", 1);
  const Folder folder;
  const Training training(folder, "run", towers("allreduce", {"cuda"}));
  const int code = training.run({"--ranks", "2"});
  setenv("BROCH_SIMULATED_GPUS", before.c_str(), 1);
  INFO(training.talk());
  CHECK(code == 3);
  CHECK(training.talk().find("this process sees 1 GPU: name \"cuda:0\"") != std::string::npos);
}

TEST_CASE("several GPUs: NCCL takes the CUDA part of the LibTorch in use") {
  if (!is_simulated()) return;
  const Folder folder;
  Json manifest = towers("allreduce", {"cuda"});
  manifest["runtime"]["collectives"] = "nccl";
  const Training training(folder, "run", manifest);
  CHECK(training.run({"--ranks", "2"}) == 4);  // the simulated part has nothing for NCCL
  INFO(training.talk());
  CHECK(training.talk().find("broch_nccl.so") != std::string::npos);
  CHECK(training.talk().find("libtorch_cuda.so: cannot open") == std::string::npos);
}

TEST_CASE("several GPUs: the same bits again, and after a resume") {
  if (!has_gpus(2)) return;
  Json manifest = towers("sync-replicated", {"cuda:0", "cuda:1"});
  manifest["model"]["with"]["dropout"] = 0.3;
  check_repeats(manifest);
}
