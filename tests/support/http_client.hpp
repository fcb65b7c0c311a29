// http_client.hpp: a client of HTTP that writes any bytes.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace broch::test {

struct Response {
  int status = 0;    // 0: the connection was closed before a whole response had arrived
  std::string head;  // status line and headers
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string error() const { return json().at("error"); }
  // "" if there is no such header. name: as it was sent.
  std::string header(const std::string& name) const;
};

class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;  // gives up if the other side has closed
  // has_body: false after HEAD.
  Response receive(bool has_body = true);
  Response ask(const std::string& bytes) { return send(bytes), receive(); }
  // Whether the other side closes within so many seconds, and sends nothing more.
  bool is_closed(double seconds = 10) const;

 private:
  int socket_;
  std::string left_;  // received, and not yet asked for
};

// headers: lines with their ends, beside Host and Content-Length.
std::string get(const std::string& path, const std::string& headers = "");
std::string post(const std::string& path, const std::string& body, const std::string& headers = "");

}  // namespace broch::test
