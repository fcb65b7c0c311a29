// zmq_test.cpp: the dataflow zmq through manifests, with senders of its own.
#include <zmq.h>

#include <thread>

#include "slope.hpp"

using namespace broch::test;

namespace {

std::string zmq_of(const std::string& address, const std::string& more = "") {
  return R"({"use": "zmq", "with": {"addresses": [")" + address + "\"]" + more + "}}";
}

// Pushes messages from a thread of its own until all are sent or the object is gone.
class Sender {
 public:
  Sender(const std::string& address, const std::vector<std::string>& messages, bool bind = false)
      : context_(zmq_ctx_new()), thread_([=, this] { send(address, messages, bind); }) {}
  ~Sender() {
    zmq_ctx_shutdown(context_);
    thread_.join();
    zmq_ctx_term(context_);
  }

 private:
  void send(const std::string& address, const std::vector<std::string>& messages, bool bind) {
    void* socket = zmq_socket(context_, ZMQ_PUSH);
    const int none = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    if ((bind ? zmq_bind : zmq_connect)(socket, address.c_str()) == 0)
      for (const std::string& message : messages)
        if (zmq_send(socket, message.data(), message.size(), 0) < 0) break;
    char byte;
    while (zmq_recv(socket, &byte, 1, 0) < 0 && errno != ETERM) usleep(10000);
    zmq_close(socket);
  }

  void* context_;
  std::thread thread_;
};

// A list of one vector of one number.
std::string number(int value) { return {char(0x91), char(0x91), char(value)}; }
std::string tensor(float value) {
  const int32_t head[] = {1, 1, 1, 1, 4, 0};  // tensors, dtype, dimensions, size; bytes
  return std::string(reinterpret_cast<const char*>(head), sizeof head) +
         std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

const Lines kIntegers{R"(model={"use": "test.slope", "with": {"integers": true}})"};

Lines received(Project& project, const std::string& flow, int steps) {
  return means(project, "data=" + around("feed", flow), steps, 1, false, "", kIntegers);
}

}  // namespace

TEST_CASE("zmq: messages of several senders, to any of the addresses") {
  Project project;
  const std::string a = "ipc://" + project.folder() / "a", b = "ipc://" + project.folder() / "b";
  const Sender first(a, {number(1), number(2), number(3)}), second(b, {number(11), number(12)});
  Lines values = received(project, zmq_of(a + "\", \"" + b), 5);
  CHECK(
      std::is_permutation(values.begin(), values.end(), Lines{"1", "2", "3", "11", "12"}.begin()));
  CHECK(project.logged("gives no cursors"));
}

TEST_CASE("zmq: connects to a sender that binds") {
  Project project;
  const std::string address = "ipc://" + project.folder() / "a";
  const Sender sender(address, {number(1), number(2)}, true);
  CHECK(received(project, zmq_of(address, R"(, "bind": false)"), 2) == Lines{"1", "2"});
}

TEST_CASE("zmq: the format of ZMQInput") {
  Project project;
  const std::string address = "ipc://" + project.folder() / "a";
  const Sender sender(address, {tensor(1.5), tensor(2.5)});
  CHECK(means(project, "data=" + around("feed", zmq_of(address, R"(, "format": "zmq_ops")")), 2) ==
        Lines{"1.5", "2.5"});
}

TEST_CASE("zmq: garbage, silence, a message that is too long, and a wrong address") {
  Project project;
  const std::string address = "ipc://" + project.folder() / "a";
  const auto failure = [&](const std::string& more, const std::string& message) {
    const Sender sender(address, {message});
    CHECK(train(project, {"data=" + around("feed", zmq_of(address, more))}) != Exit::ok);
    return project.failure;
  };
  CHECK(failure("", "\xc1").find("message 0 of ipc://") != std::string::npos);
  CHECK(project.failure.find("found the code 0xc1") != std::string::npos);
  CHECK(failure(R"(, "timeout": 1, "max_point_bytes": 2)", number(1))
            .find("no message is larger than max_point_bytes") != std::string::npos);
  CHECK(train(project, {"data=" + around("feed", zmq_of("tcp://nowhere"))}) != Exit::ok);
  CHECK(project.failure.find("cannot bind tcp://nowhere") != std::string::npos);
}

TEST_CASE("zmq: a wait for senders does not hold up the end") {
  Project project;
  const std::string address = "ipc://" + project.folder() / "a";
  const Sender sender(address, {number(1)});
  CHECK(means(project, "data=" + around("queue", zmq_of(address)), 1, 1, false, "", kIntegers) ==
        Lines{"1"});
  CHECK(!project.logged("did not return from stop within"));
}
