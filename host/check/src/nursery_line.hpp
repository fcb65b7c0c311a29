// nursery_line.hpp: what a nursery and its parent say to each other over a socket.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "check/check.hpp"

namespace broch::check {

struct Order {
  Job job;
  std::string folder;
  int verdict = -1, output = -1;  // descriptors; received ones belong to the receiver
};

// False: the other side is gone.
bool send_order(int socket, const Order& order);
// Waits for the next one. Nothing: the other side is gone.
std::optional<Order> receive_order(int socket);

// The answers to an order: the process that was forked, or -1; then, if there is one, its status
// as waitpid tells it. Until the next order, the process is not waited for, so that its number
// stays its own.
bool send_number(int socket, int number);
std::optional<int> receive_number(int socket);

}  // namespace broch::check
