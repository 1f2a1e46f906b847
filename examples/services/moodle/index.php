<?php
/** What the federation and its apps ask: BASE is this file's address, its endpoints come behind a slash. */
define('NO_MOODLE_COOKIES', true);
define('NO_DEBUG_DISPLAY', true);
define('AJAX_SCRIPT', true); // errors are no pages

require(__DIR__ . '/../../config.php');

use local_pando\plugin;
use Pando\Answer;
use Pando\Refused;
use Pando\Request;

/** Courses of the person, for apps with a token for them. */
function local_pando_courses(plugin $plugin): Answer {
    $request = Request::current();
    $family = $plugin->service->shown($request, plugin::base() . '/courses', plugin::SCOPE);
    $user = $plugin->user($family['person']) ?? throw new Refused(401, 'invalid_token', 'the person is not known here any more');
    $courses = array_map(fn($course) => ['id' => (int) $course->id, 'name' => $course->fullname], array_values(enrol_get_users_courses($user->id, true, 'id, fullname')));
    return Answer::json(['user' => (int) $user->id, 'courses' => $courses]);
}

if (!get_config('local_pando', 'issuer')) {
    http_response_code(404);
    exit;
}
$plugin = plugin::it();
$endpoint = trim($_SERVER['PATH_INFO'] ?? '', '/');
try {
    $answer = match ($endpoint) {
        '' => new Answer(200, '<!doctype html><title>Pando</title><link rel="ServiceAPI" href="' . s(plugin::base() . '/rsd') . '">',
            ['Content-Type' => 'text/html; charset=utf-8', 'Link' => $plugin->service->link()]),
        'courses' => local_pando_courses($plugin),
        default => $plugin->service->answer($endpoint, Request::current()),
    };
} catch (Refused $refused) {
    $answer = Answer::refusal($refused);
}
$answer->send();
