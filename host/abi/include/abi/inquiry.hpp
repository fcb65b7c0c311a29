// inquiry.hpp: asks another thread what it is doing, and for which plugin.
#pragma once
#include <pthread.h>

#include <string>
#include <vector>

namespace broch::abi {

class Instance;

struct Place {
  std::string text;  // " in callback 'x' (org.example.x) during trigger_step, file …"; "": in none
  std::vector<const Instance*> calls;  // the instances that are being called, the innermost first
};

// Interrupts the thread by a signal. An empty place if it does not answer within a second.
Place place_of(pthread_t thread);

}  // namespace broch::abi
