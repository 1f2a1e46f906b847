<?php
/** Moodle's locks, by files. */
namespace core\lock;

final class lock {
    public function __construct(private $file) {}

    public function release(): bool {
        return flock($this->file, LOCK_UN);
    }
}

final class lock_factory {
    public function get_lock(string $resource, int $timeout): lock|false {
        $file = fopen(getenv('STATE') . '.lock', 'c');
        return flock($file, LOCK_EX) ? new lock($file) : false;
    }
}

final class lock_config {
    public static function get_lock_factory(string $type): lock_factory {
        return new lock_factory();
    }
}
