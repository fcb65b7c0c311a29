// zmq.cpp: data points that other processes and machines send with ZeroMQ, and the other end.
// tensorpack: `RemoteDataZMQ`, `send_dataflow_zmq`, and `ZMQInput`, whose format is zmq_ops.
//
// Points of several senders come in the order in which they arrive, so there are no cursors.
#include <broch/broch.hpp>
#include <memory>

#include "../sinks/files/named.hpp"
#include "containers/put.hpp"
#include "msgpack/point.hpp"
#include "msgpack/writer.hpp"
#include "zmq/socket.hpp"
#include "zmq/tensor_list.hpp"

namespace {

enum class Format { msgpack, zmq_ops };

struct Options {
  std::vector<std::string> addresses;
  bool bind;
  int64_t hwm, max_point_bytes;
  std::optional<double> timeout;
  Format format;

  static constexpr auto schema = broch::options(
      broch::option("addresses", &Options::addresses,
                    "ZeroMQ addresses, such as \"tcp://*:5555\" or \"ipc:///tmp/data\".")
          .min_items(1)
          .min_length(1),
      broch::option(
          "bind", &Options::bind,
          "true: the senders connect to these addresses. false: Broch connects to the senders.")
          .by_default(true),
      broch::option("hwm", &Options::hwm,
                    "Maximum number of waiting messages per sender (ZeroMQ's high-water mark); "
                    "then the sender waits.")
          .minimum(1)
          .maximum(1000000)
          .by_default(50),
      broch::option("timeout", &Options::timeout,
                    "Maximum time without a message; a longer time is an error. null: no limit.")
          .above(0)
          .unit("seconds")
          .by_default(300),
      broch::option("format", &Options::format,
                    "msgpack: MessagePack, with arrays as msgpack-numpy writes them. zmq_ops: what "
                    "tensorpack's ZMQInput receives.")
          .one_of("msgpack", "zmq_ops")
          .by_default("msgpack"),
      broch::option("max_point_bytes", &Options::max_point_bytes,
                    "Maximum size of a message; the sender of a larger one is disconnected.")
          .minimum(1)
          .by_default(1073741824));
};

class Zmq final : public broch::DataFlow {
 public:
  Zmq(const broch::Host& host, const Options& options)
      : options_(options), seed_(broch::Instance(host).seed()) {}

  // Bound once: what senders have sent is not lost when the dataflow is opened again.
  void reset_state() override { connect(); }
  void open(const std::string&) override { connect(); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    zmq::Message message;
    socket_->receive(message, cancel);
    const std::string place = "message " + std::to_string(count_++) + " of " + socket_->name();
    const std::vector<containers::Named> found = options_.format == Format::msgpack
                                                     ? msgpack::parse_point(message.bytes(), place)
                                                     : zmq_ops::parse_point(message.bytes(), place);
    for (const containers::Named& one : found) containers::put(point, one.component, one.name);
    point.set_key(broch::mixed(seed_, count_));
    return true;
  }

 private:
  void connect() {
    if (!socket_)
      socket_ = std::make_unique<zmq::Socket>(zmq::SocketOptions{options_.addresses, options_.bind,
                                                                 options_.hwm, options_.timeout,
                                                                 options_.max_point_bytes});
  }

  Options options_;
  uint64_t seed_, count_ = 0;
  std::unique_ptr<zmq::Socket> socket_;
};

struct SinkOptions {
  bool bind;
  int64_t hwm;
  std::optional<double> timeout;

  static constexpr auto schema = broch::options(
      broch::option("bind", &SinkOptions::bind,
                    "true: the receivers connect to the address. false: Broch connects to it.")
          .by_default(false),
      broch::option("hwm", &SinkOptions::hwm,
                    "Maximum number of waiting messages per receiver (ZeroMQ's high-water mark); "
                    "then Broch waits.")
          .minimum(1)
          .maximum(1000000)
          .by_default(50),
      broch::option("timeout", &SinkOptions::timeout,
                    "Maximum time in which nobody takes a point and, at the end, in which those "
                    "that wait are taken; a longer time is an error. null: no limit.")
          .above(0)
          .unit("seconds")
          .by_default(300));
};

class ZmqSink final : public broch::Sink {
 public:
  ZmqSink(const broch::Host& host, const SinkOptions& options) : host_(host), options_(options) {}

  void open(const std::string& address) override {
    socket_ = std::make_unique<zmq::Socket>(zmq::SocketOptions{.addresses = {address},
                                                               .bind = options_.bind,
                                                               .hwm = options_.hwm,
                                                               .timeout = options_.timeout,
                                                               .kind = ZMQ_PUSH});
  }
  void put(broch::PointReader& point) override {
    socket_->send(msgpack::text_of(files::named_of(point)), broch::Cancel::of_run(host_));
  }
  void close() override {
    socket_->finish(broch::Cancel::of_run(host_));
    socket_.reset();
  }

 private:
  broch::Host host_;
  SinkOptions options_;
  std::unique_ptr<zmq::Socket> socket_;
};

}  // namespace

BROCH_COMPONENTS(
    broch::component<Zmq>("broch.dataflow.zmq", "dataflow", "1.0.0",
                          "Yields data points that other processes and machines send with ZeroMQ.",
                          Options::schema),
    broch::component<ZmqSink>("broch.sink.zmq", "sink", "1.0.0",
                              "Sends points to the dataflow zmq of another process with ZeroMQ.",
                              SinkOptions::schema, broch::extensions("tcp://", "ipc://")))
