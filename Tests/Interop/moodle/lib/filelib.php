<?php
// `curl` is in config.php.
