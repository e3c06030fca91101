// Where the server of a farm is, and what it takes to be let in.
#pragma once

#include "core/support/result.h"

#include <string>

namespace loopglass::farm {

struct Address {
  std::string url;      // "nats://host:4222", "tls://host", "host"
  std::string token;    // empty: none but what the URL has
  std::string ca_file;  // certificates that the server's is to be signed by; empty: the system's
};
// UsageInvalid: no such address; or it leads to another machine, with neither a token nor TLS.
Result<void> check(const Address& address);
// Without what lets one in: "nats://host:4222" of "nats://secret@host:4222".
std::string shown(const Address& address);

}  // namespace loopglass::farm
