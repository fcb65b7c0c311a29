// service.hpp: which request asks for what, and its answer.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "batcher.hpp"
#include "http/server.hpp"
#include "preprocessor.hpp"
#include "token.hpp"

namespace broch::serve {

class Service final : public http::Handler {
 public:
  using Models = std::map<std::string, std::unique_ptr<Model>>;

  // timeout: from a request to its result. preprocessor: nullptr if no model takes files. Borrows
  // models, batcher and preprocessor.
  Service(const Models& models, Batcher& batcher, Preprocessor* preprocessor, const Token& token,
          Clock::duration timeout)
      : models_(models),
        batcher_(batcher),
        preprocessor_(preprocessor),
        token_(token),
        timeout_(timeout) {}

  // From now on, this server is not ready.
  void end() { ends_ = true; }
  // For the metrics. Its threads may ask for them already.
  void count_connections_of(const http::Server& server) { server_ = &server; }

  std::optional<http::Response> refusal_of(const http::Request& head) override;
  void handle(http::Request request, http::Answer answer) override;
  http::Response failure(int status, const std::string& found,
                         const std::string& expected) override;
  void responds(const http::Request* head, int status) override;

 private:
  enum class What { server, live, ready, metrics, model, model_ready, infer };
  struct Route {
    What what;
    Model* model = nullptr;
  };

  // Both throw Refusal.
  void require_access(const http::Request& head) const;
  void require_infer(const http::Request& head, Model& model) const;
  Route route_of(std::string_view target) const;
  Route model_route(const std::vector<std::string_view>& parts) const;
  http::Response respond(const Route& route) const;
  void infer(Model& model, http::Request request, const http::Answer& answer);
  std::string metrics() const;

  const Models& models_;
  Batcher& batcher_;
  Preprocessor* const preprocessor_;
  const Token token_;
  const Clock::duration timeout_;
  std::atomic<const http::Server*> server_{nullptr};
  std::atomic<bool> ends_{false};
};

}  // namespace broch::serve
