// librdkafka's handles, each with an owner, and its errors as ours. For the files of this folder
// only: other folders see Producer, Reader and Record.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>

#include "core/error.h"

namespace patchbay::bus {

struct Freer {
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_headers_t* headers) const { rd_kafka_headers_destroy(headers); }
  void operator()(rd_kafka_error_t* error) const { rd_kafka_error_destroy(error); }
};

template <class T>
using Owned = std::unique_ptr<T, Freer>;

// The Error for an error of librdkafka. `what` is what was attempted.
Error error_of(rd_kafka_resp_err_t code, const std::string& what);

}  // namespace patchbay::bus
