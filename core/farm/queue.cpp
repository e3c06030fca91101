#include "core/farm/queue.h"

#include "core/support/printable.h"

#include <fmt/format.h>
#include <nats/nats.h>

#include <algorithm>
#include <cstdlib>

namespace loopglass::farm {

namespace {

constexpr const char* job_stream = "LG_JOBS";
constexpr const char* result_stream = "LG_RESULTS";
constexpr const char* delivery_bucket = "LG_DELIVERIES";
constexpr const char* worker_bucket = "LG_WORKERS";
constexpr std::int64_t milliseconds_to_connect = 3'000, milliseconds_to_answer = 3'000;

constexpr std::int64_t nanoseconds(std::chrono::nanoseconds time) { return time.count(); }
constexpr std::chrono::nanoseconds kept = std::chrono::hours(1);
// An id is remembered so long where a job is withdrawn or done.
constexpr std::int64_t job_ids_kept = nanoseconds(std::chrono::minutes(2));

std::string subject(const char* kind, const std::string& capability, const std::string& id) {
  return fmt::format("lg.{}.{}.{}", kind, capability, id);
}

std::string durable_name(const std::string& capability) { return "worker-" + capability; }

// The server drops the second message of an id.
std::string message_id_of(const std::string& id, int attempt) {
  return fmt::format("{}-{}", id, attempt);
}

// What the library owns, given back to it.
template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* object) const { destroy(object); }
};
template <class T, void (*destroy)(T*)>
using Owned = std::unique_ptr<T, Destroy<T, destroy>>;
using Message = Owned<natsMsg, natsMsg_Destroy>;
using Subscription = Owned<natsSubscription, natsSubscription_Destroy>;
using Bucket = Owned<kvStore, kvStore_Destroy>;
using Entry = Owned<kvEntry, kvEntry_Destroy>;
using Consumer = Owned<jsConsumerInfo, jsConsumerInfo_Destroy>;

bool is_for_now(natsStatus status, int error) {
  // The server has come back without what it had: streams are made again by whoever submits.
  if (error == JSStreamNotFoundErr || error == JSConsumerNotFoundErr) return true;
  switch (status) {
    case NATS_TIMEOUT:
    case NATS_NO_RESPONDERS:
    case NATS_NO_SERVER:
    case NATS_IO_ERROR:
    case NATS_STALE_CONNECTION:
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_NOT_YET_CONNECTED:
    case NATS_INSUFFICIENT_BUFFER:  // for what would be sent when the server is back
    case NATS_MISSED_HEARTBEAT: return true;
    default: return false;
  }
}

std::string hint_for(natsStatus status, int error) {
  switch (status) {
    case NATS_CONNECTION_AUTH_FAILED:
      return "set LOOPGLASS_FARM_TOKEN to the token that the server was started with";
    case NATS_MAX_PAYLOAD: return "start the server with a larger max_payload";
    case NATS_SSL_ERROR: return "--farm-ca names the certificate that the server's is signed by";
    case NATS_SECURE_CONNECTION_REQUIRED: return "the server wants TLS: tls://HOST:PORT";
    case NATS_SECURE_CONNECTION_WANTED: return "the server has no TLS: nats://HOST:PORT";
    default: break;
  }
  switch (error) {
    case JSNotEnabledErr:
    case JSNotEnabledForAccountErr: return "start it with JetStream: nats-server -js -sd FOLDER";
    case JSStorageResourcesExceededErr:
    case JSInsufficientResourcesErr:
    case JSMemoryResourcesExceededErr:
    case JSStreamStoreFailedErr: return "its store is full: make room, or raise its limits";
    default: return {};
  }
}

std::string sentence_for(natsStatus status) {
  const char* last = nats_GetLastError(nullptr);
  return last && *last ? printable(last) : natsStatus_GetText(status);
}

std::unexpected<Diagnostic> refusal(natsStatus status, int error, std::string_view doing) {
  if (is_for_now(status, error))
    return fail(Code::FarmUnreachable,
                fmt::format("the server does not answer ({}): {}", doing, sentence_for(status)), {},
                "is it running? nats-server -js -sd FOLDER");
  return fail(Code::FarmRefused, fmt::format("{}: {}", doing, sentence_for(status)), {},
              hint_for(status, error));
}

}  // namespace

struct Queue::Connection {
  natsConnection* connection = nullptr;
  jsCtx* stream = nullptr;
  std::chrono::milliseconds held_for{};
  std::string jobs_of;  // the capability that `jobs` are of
  Subscription jobs, results;

  ~Connection() {
    jobs.reset();
    results.reset();
    jsCtx_Destroy(stream);
    natsConnection_Destroy(connection);
  }

  Result<Message> last(const char* name, const std::string& of, std::string_view doing) {
    natsMsg* message = nullptr;
    jsErrCode error{};
    const natsStatus status = js_GetLastMsg(&message, stream, name, of.c_str(), nullptr, &error);
    if (status == NATS_OK) return Message(message);
    if (status == NATS_NOT_FOUND || error == JSNoMessageFoundErr || error == JSStreamNotFoundErr)
      return Message();
    return refusal(status, error, doing);
  }
  // What we fetch from; null: the server does not know it.
  Consumer consumer() const {
    jsConsumerInfo* found = nullptr;
    js_GetConsumerInfo(&found, stream, job_stream, durable_name(jobs_of).c_str(), nullptr, nullptr);
    return Consumer(found);
  }
  // A server that was killed may have forgotten that jobs were done, and still know that they were
  // given out: such are in the queue for good, and given to nobody. Where all that was ever given
  // out is done, and nothing waits, what is left is of that kind, and dropped.
  void drop_forgotten(const jsConsumerInfo& consumer) {
    if (consumer.NumPending > 0 || consumer.NumAckPending > 0) return;
    jsStreamInfo* found = nullptr;
    js_GetStreamInfo(&found, stream, job_stream, nullptr, nullptr);
    const Owned<jsStreamInfo, jsStreamInfo_Destroy> jobs_info(found);
    if (!found || found->State.Msgs == 0) return;
    const std::string of = subject("job", jobs_of, "*");
    jsOptions options;
    jsOptions_Init(&options);
    options.Stream.Purge.Subject = of.c_str();
    options.Stream.Purge.Sequence = consumer.Delivered.Stream + 1;
    js_PurgeStream(stream, job_stream, &options, nullptr);
  }
  Result<Bucket> bucket(const char* name, std::chrono::nanoseconds entries_for,
                        jsStorageType storage, std::string_view doing) {
    kvStore* found = nullptr;
    natsStatus status = js_KeyValue(&found, stream, name);
    if (status == NATS_NOT_FOUND) {
      kvConfig config;
      kvConfig_Init(&config);
      config.Bucket = name;
      config.TTL = nanoseconds(entries_for);
      config.StorageType = storage;
      status = js_CreateKeyValue(&found, stream, &config);
    }
    if (status != NATS_OK) return refusal(status, 0, doing);
    return Bucket(found);
  }
  Result<Bucket> workers() {
    return bucket(worker_bucket, notices_for, js_MemoryStorage, "the farm's workers");
  }
  // One more of this job; how many there are now, as far as the server answers. Its own count goes
  // wrong: if a request for jobs runs out at the moment at which a job comes back, a server of
  // version 2.9 gives that to the next who asks as if for the first time.
  int count_delivery(const std::string& key) {
    const auto counts = bucket(delivery_bucket, kept, js_FileStorage, "counting a delivery");
    if (!counts) return 0;
    kvEntry* found = nullptr;
    kvStore_Get(&found, counts->get(), key.c_str());
    const Entry entry(found);
    const char* const before = found ? kvEntry_ValueString(found) : nullptr;
    const int now = (before ? std::atoi(before) : 0) + 1;
    kvStore_PutString(nullptr, counts->get(), key.c_str(), std::to_string(now).c_str());
    return now;
  }
};

Queue::Queue(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Queue::~Queue() = default;

Result<std::unique_ptr<Queue>> Queue::open(const Address& address, const std::string& name,
                                           std::chrono::milliseconds held_for) {
  TRY_VOID(check(address));
  natsOptions* made = nullptr;
  if (natsOptions_Create(&made) != NATS_OK)
    return fail(Code::OutOfMemory, "there is no memory for a connection");
  const Owned<natsOptions, natsOptions_Destroy> options(made);
  natsOptions_SetName(made, name.c_str());
  natsOptions_SetTimeout(made, milliseconds_to_connect);
  // Servers come back.
  natsOptions_SetMaxReconnect(made, -1);
  natsOptions_SetReconnectWait(made, 250);
  natsOptions_SetReconnectJitter(made, 50, 50);
  natsOptions_SetPingInterval(made, 5'000);
  // While it is away nothing is kept to be sent later: whoever asks knows best.
  natsOptions_SetReconnectBufSize(made, 0);
  natsOptions_SetErrorHandler(
      made, [](auto...) {}, nullptr);
  if (!address.token.empty()) natsOptions_SetToken(made, address.token.c_str());
  if (address.url.starts_with("tls://")) natsOptions_SetSecure(made, true);
  if (!address.ca_file.empty() &&
      natsOptions_LoadCATrustedCertificates(made, address.ca_file.c_str()) != NATS_OK)
    return fail(Code::UsageInvalid, "the certificates cannot be read", address.ca_file,
                "a file in PEM form");
  auto connection = std::make_unique<Connection>();
  connection->held_for = held_for;
  natsStatus status = natsOptions_SetURL(made, address.url.c_str());
  if (status == NATS_OK) status = natsConnection_Connect(&connection->connection, made);
  jsOptions waits;
  jsOptions_Init(&waits);
  waits.Wait = milliseconds_to_answer;
  if (status == NATS_OK)
    status = natsConnection_JetStream(&connection->stream, connection->connection, &waits);
  if (status != NATS_OK) {
    auto problem = refusal(status, 0, "connecting");
    problem.error().where = shown(address);
    return problem;
  }
  std::unique_ptr<Queue> queue(new Queue(std::move(connection)));
  if (auto streams = queue->make_streams(); !streams) {
    Diagnostic problem = std::move(streams).error();
    problem.where = shown(address);
    // A server without JetStream has nobody to answer.
    if (problem.code == Code::FarmUnreachable) {
      problem.code = Code::FarmRefused;
      problem.hint = hint_for(NATS_ERR, JSNotEnabledErr);
    }
    return std::unexpected(std::move(problem));
  }
  return queue;
}

std::chrono::milliseconds Queue::held_for() const { return connection_->held_for; }

Result<void> Queue::make_streams() {
  const auto make = [&](const char* name, const char* subjects, jsRetentionPolicy retention,
                        std::int64_t ids_kept) -> Result<void> {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = name;
    config.Subjects = &subjects;
    config.SubjectsLen = 1;
    config.Retention = retention;
    config.MaxAge = nanoseconds(kept);
    config.Duplicates = ids_kept;
    config.Storage = js_FileStorage;
    jsErrCode error{};
    const natsStatus status = js_AddStream(nullptr, connection_->stream, &config, nullptr, &error);
    if (status == NATS_OK) return {};
    // Somebody else made it: before, or at the same moment.
    jsStreamInfo* found = nullptr;
    if (js_GetStreamInfo(&found, connection_->stream, name, nullptr, nullptr) == NATS_OK) {
      jsStreamInfo_Destroy(found);
      return {};
    }
    return refusal(status, error, "making the farm's streams");
  };
  TRY_VOID(make(job_stream, "lg.job.>", js_WorkQueuePolicy, job_ids_kept));
  return make(result_stream, "lg.result.>", js_LimitsPolicy, nanoseconds(kept));
}

Result<bool> Queue::submit(const std::string& capability, const Job& job) {
  const std::string id = id_of(job), text = to_text(job),
                    message_id = message_id_of(id, job.attempt);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = message_id.c_str();
  jsErrCode error{};
  jsPubAck* acknowledged = nullptr;
  const auto publish = [&] {
    error = {};
    return js_Publish(&acknowledged, connection_->stream, subject("job", capability, id).c_str(),
                      text.data(), static_cast<int>(text.size()), &options, &error);
  };
  natsStatus status = publish();
  // The server may have come back without what it had.
  if (status == NATS_NO_RESPONDERS && make_streams()) status = publish();
  if (status != NATS_OK)
    return refusal(status, error, fmt::format("submitting a job of {} bytes", text.size()));
  const Owned<jsPubAck, jsPubAck_Destroy> answer(acknowledged);
  return !answer->Duplicate;
}

Result<bool> Queue::is_waiting(const std::string& capability, const std::string& id) {
  const Message message =
      TRY(connection_->last(job_stream, subject("job", capability, id), "looking for a job"));
  return message != nullptr;
}

Result<std::optional<JobResult>> Queue::result_of(const std::string& capability,
                                                  const std::string& id) {
  const Message message = TRY(
      connection_->last(result_stream, subject("result", capability, id), "looking for a result"));
  if (!message) return std::optional<JobResult>();
  auto result = job_result_in({natsMsg_GetData(message.get()),
                               static_cast<std::size_t>(natsMsg_GetDataLength(message.get()))});
  // What is not understood is no result: the job is done again.
  if (!result) return std::optional<JobResult>();
  return std::optional(*std::move(result));
}

Result<void> Queue::withdraw(const std::string& capability, const std::string& id) {
  const Message message =
      TRY(connection_->last(job_stream, subject("job", capability, id), "withdrawing a job"));
  if (!message) return {};
  jsErrCode error{};
  const natsStatus status = js_DeleteMsg(connection_->stream, job_stream,
                                         natsMsg_GetSequence(message.get()), nullptr, &error);
  if (status != NATS_OK && status != NATS_NOT_FOUND)
    return refusal(status, error, "withdrawing a job");
  return {};
}

Result<void> Queue::listen(const std::string& capability) {
  natsSubscription* made = nullptr;
  const natsStatus status = natsConnection_SubscribeSync(
      &made, connection_->connection, subject("result", capability, "*").c_str());
  if (status != NATS_OK) return refusal(status, 0, "listening for results");
  connection_->results.reset(made);
  return {};
}

Result<std::optional<JobResult>> Queue::next_result(std::chrono::milliseconds patience) {
  natsMsg* found = nullptr;
  const natsStatus status =
      natsSubscription_NextMsg(&found, connection_->results.get(), patience.count());
  if (status == NATS_TIMEOUT) return std::optional<JobResult>();
  if (status != NATS_OK) return refusal(status, 0, "listening for results");
  const Message message(found);
  // What is not understood is not for us.
  auto result = job_result_in(
      {natsMsg_GetData(found), static_cast<std::size_t>(natsMsg_GetDataLength(found))});
  if (!result) return std::optional<JobResult>();
  return std::optional(*std::move(result));
}

class Queue::TakenMessage : public Queue::Taken {
 public:
  TakenMessage(Connection& connection, Message message, std::string capability)
      : connection_(connection), message_(std::move(message)), capability_(std::move(capability)) {
    const std::string_view of = natsMsg_GetSubject(message_.get());
    id_ = of.substr(of.rfind('.') + 1);
    jsMsgMetaData* facts = nullptr;
    // A job that is submitted again has another sequence number, and is counted anew.
    if (natsMsg_GetMetaData(&facts, message_.get()) == NATS_OK)
      deliveries_ =
          std::max(static_cast<int>(facts->NumDelivered),
                   connection.count_delivery(fmt::format("{}-{}", id_, facts->Sequence.Stream)));
    jsMsgMetaData_Destroy(facts);
  }

  const std::string& id() const override { return id_; }
  std::string_view text() const override {
    return {natsMsg_GetData(message_.get()),
            static_cast<std::size_t>(natsMsg_GetDataLength(message_.get()))};
  }
  int deliveries() const override { return deliveries_; }
  void hold() override { natsMsg_InProgress(message_.get(), nullptr); }

  Result<void> finish(const JobResult& result) override {
    const std::string text = to_text(result), message_id = message_id_of(id_, result.attempt);
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = message_id.c_str();
    jsErrCode error{};
    const natsStatus status =
        js_Publish(nullptr, connection_.stream, subject("result", capability_, id_).c_str(),
                   text.data(), static_cast<int>(text.size()), &options, &error);
    if (status != NATS_OK) return refusal(status, error, "giving a result");
    return drop();
  }
  Result<void> drop() override {
    jsErrCode error{};
    const natsStatus status = natsMsg_AckSync(message_.get(), nullptr, &error);
    // Where the server is away, or has forgotten the job, it may come again: its result is known
    // then.
    if (status == NATS_OK || is_for_now(status, error)) return {};
    return refusal(status, error, "giving a job back");
  }

 private:
  Connection& connection_;
  Message message_;
  std::string capability_, id_;
  int deliveries_ = 1;
};

Result<std::unique_ptr<Queue::Taken>> Queue::take(const std::string& capability,
                                                  std::chrono::milliseconds patience) {
  Connection& own = *connection_;
  if (!own.jobs || own.jobs_of != capability) {
    TRY_VOID(make_streams());
    const std::string durable = durable_name(capability), of = subject("job", capability, "*");
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = durable.c_str();
    config.FilterSubject = of.c_str();
    config.AckPolicy = js_AckExplicit;
    config.AckWait = nanoseconds(own.held_for);
    jsErrCode error{};
    natsStatus status = js_AddConsumer(nullptr, own.stream, job_stream, &config, nullptr, &error);
    natsSubscription* made = nullptr;
    if (status == NATS_OK) {
      jsSubOptions options;
      jsSubOptions_Init(&options);
      options.Stream = job_stream;
      options.Consumer = durable.c_str();
      status = js_PullSubscribe(&made, own.stream, of.c_str(), durable.c_str(), nullptr, &options,
                                &error);
    }
    if (status != NATS_OK) return refusal(status, error, "asking for jobs");
    own.jobs.reset(made);
    own.jobs_of = capability;
  }
  natsMsgList list{};
  jsErrCode error{};
  const natsStatus status =
      natsSubscription_Fetch(&list, own.jobs.get(), 1, patience.count(), &error);
  std::unique_ptr<Taken> taken;
  if (status == NATS_OK && list.Count > 0) {
    taken = std::make_unique<TakenMessage>(own, Message(list.Msgs[0]), capability);
    list.Msgs[0] = nullptr;
  }
  natsMsgList_Destroy(&list);
  if (status == NATS_OK) return taken;
  if (status == NATS_TIMEOUT && error == 0) {
    // Nothing comes where nobody is asked, either.
    if (const Consumer consumer = own.consumer()) {
      own.drop_forgotten(*consumer);
      return taken;
    }
  }
  // Made anew by the next who asks: the server may have lost what it had, or somebody deleted it.
  own.jobs.reset();
  return fail(Code::FarmUnreachable,
              fmt::format("the server has no jobs to ask for: {}", sentence_for(status)));
}

Result<void> Queue::announce(const WorkerNotice& notice) {
  const Bucket bucket = TRY(connection_->workers());
  const natsStatus status =
      kvStore_PutString(nullptr, bucket.get(), notice.name.c_str(), to_text(notice).c_str());
  if (status != NATS_OK) return refusal(status, 0, "saying that there is a worker");
  return {};
}

Result<void> Queue::leave(const std::string& worker) {
  const Bucket bucket = TRY(connection_->workers());
  const natsStatus status = kvStore_Delete(bucket.get(), worker.c_str());
  if (status != NATS_OK && status != NATS_NOT_FOUND)
    return refusal(status, 0, "saying that a worker leaves");
  return {};
}

Result<std::vector<WorkerNotice>> Queue::workers() {
  const Bucket bucket = TRY(connection_->workers());
  kvKeysList keys{};
  natsStatus status = kvStore_Keys(&keys, bucket.get(), nullptr);
  std::vector<WorkerNotice> notices;
  for (int k = 0; status == NATS_OK && k < keys.Count; ++k) {
    kvEntry* found = nullptr;
    if (kvStore_Get(&found, bucket.get(), keys.Keys[k]) != NATS_OK) continue;  // it has faded
    const Entry entry(found);
    auto notice = worker_notice_in(kvEntry_ValueString(found));
    if (notice) notices.push_back(*std::move(notice));
  }
  kvKeysList_Destroy(&keys);
  if (status != NATS_OK && status != NATS_NOT_FOUND)
    return refusal(status, 0, "the farm's workers");
  return notices;
}

Result<Queue::Load> Queue::load() {
  Load load;
  for (const char* name : {job_stream, result_stream}) {
    jsStreamInfo* found = nullptr;
    jsErrCode error{};
    const natsStatus status = js_GetStreamInfo(&found, connection_->stream, name, nullptr, &error);
    if (status != NATS_OK) return refusal(status, error, "the farm's load");
    const Owned<jsStreamInfo, jsStreamInfo_Destroy> info(found);
    (name == job_stream ? load.jobs : load.results) = found->State.Msgs;
    load.bytes += found->State.Bytes;
  }
  return load;
}

}  // namespace loopglass::farm
