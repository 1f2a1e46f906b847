<?php
/**
 * What examples/services/moodle uses of Moodle's API, as its documentation says that it behaves: enough to run the plugin, and no Moodle.
 * Its database is SQLite, its settings are those of the environment.
 */
define('MOODLE_INTERNAL', true);
define('PARAM_NOTAGS', 'notags');

$CFG = (object) ['wwwroot' => getenv('WWWROOT'), 'dirroot' => __DIR__, 'libdir' => __DIR__ . '/lib', 'mnet_localhost_id' => 1];
$SITE = (object) ['fullname' => 'Example'];

class dml_exception extends Exception {}

class dml_write_exception extends dml_exception {}

final class stub_recordset extends ArrayIterator {
    public function close(): void {}
}

final class stub_database {
    private PDO $pdo;

    public function __construct(string $file) {
        $this->pdo = new PDO("sqlite:$file");
        $this->pdo->setAttribute(PDO::ATTR_TIMEOUT, 10);
    }

    private function done(string $sql, array $values): PDOStatement {
        $statement = $this->pdo->prepare(preg_replace('/\{(\w+)\}/', 'mdl_$1', $sql));
        foreach (array_values($values) as $place => $value) {
            $statement->bindValue($place + 1, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
        }
        $statement->execute();
        return $statement;
    }

    public function execute(string $sql, ?array $values = null): bool {
        return (bool) $this->done($sql, $values ?? []);
    }

    public function get_recordset_sql(string $sql, ?array $values = null): stub_recordset {
        return new stub_recordset($this->done($sql, $values ?? [])->fetchAll(PDO::FETCH_OBJ));
    }

    public function get_record_sql(string $sql, ?array $values = null): stdClass|false {
        return $this->done($sql, $values ?? [])->fetch(PDO::FETCH_OBJ);
    }

    public function record_exists(string $table, array $conditions): bool {
        $where = implode(' and ', array_map(fn($name) => "$name = ?", array_keys($conditions)));
        return (bool) $this->done("select 1 from {{$table}} where $where", $conditions)->fetch();
    }

    public function record_exists_select(string $table, string $select, ?array $params = null): bool {
        return (bool) $this->done("select 1 from {{$table}} where $select", $params ?? [])->fetch();
    }

    public function insert_record_raw(string $table, array $row, bool $returnid = true): bool|int {
        try {
            $marks = implode(', ', array_map(fn($value) => $value === null ? 'null' : '?', $row));
            $values = array_values(array_filter($row, fn($value) => $value !== null));
            $this->done("insert into {{$table}} (" . implode(', ', array_keys($row)) . ") values ($marks)", $values);
        } catch (PDOException $exception) {
            throw new dml_write_exception($exception->getMessage());
        }
        return $returnid ? (int) $this->pdo->lastInsertId() : true;
    }
}

final class curl {
    private array $headers = [];
    private int $status = 0;
    private int $errno = 0;

    public function __construct(array $settings = []) {}

    public function setHeader(array $headers): void {
        $this->headers = $headers;
    }

    public function get(string $url, array $params = [], array $options = []): string|false {
        $context = stream_context_create(['http' => ['header' => $this->headers, 'timeout' => $options['CURLOPT_TIMEOUT'], 'follow_location' => 0, 'ignore_errors' => true]]);
        $body = @file_get_contents($url, false, $context);
        [$this->errno, $this->status] = $body === false ? [7, 0] : [0, (int) explode(' ', $http_response_header[0])[1]];
        return $body;
    }

    public function get_errno(): int {
        return $this->errno;
    }

    public function get_info(): array {
        return ['http_code' => $this->status];
    }
}

function get_config(string $plugin, string $name): string|false {
    return getenv(strtoupper($name));
}

function clean_param(string $value, string $type): string {
    return strip_tags($value);
}

function validate_email(string $address): bool {
    return filter_var($address, FILTER_VALIDATE_EMAIL) !== false;
}

function s(string $text): string {
    return htmlspecialchars($text, ENT_QUOTES);
}

function enrol_get_users_courses(int $user, bool $onlyactive, string $fields): array {
    return [7 => (object) ['id' => '7', 'fullname' => 'Botany']];
}

$DB = new stub_database(getenv('STATE'));
spl_autoload_register(function (string $class) {
    if (str_starts_with($class, 'local_pando\\')) {
        require __DIR__ . '/local/pando/classes/' . str_replace('\\', '/', substr($class, strlen('local_pando\\'))) . '.php';
    }
});
require __DIR__ . '/locks.php';
