// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {OwnedToken} from "./OwnedTokens.sol";

/// Burns 3 % of every transfer, for ever.
contract FixedFeeToken is ERC20 {
    uint256 public constant FEE_BPS = 300;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) {
            super._update(from, to, value);
            return;
        }
        uint256 fee = (value * FEE_BPS) / 10_000;
        super._update(from, address(0), fee);
        super._update(from, to, value - fee);
    }
}

/// OpenZeppelin's burnable token: holders burn what is theirs, or what they were allowed.
contract BurnableToken is ERC20Burnable {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }
}

/// OpenZeppelin's token with permits.
contract PermitToken is ERC20Permit {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) ERC20Permit(name_) {
        _mint(msg.sender, supply);
    }
}

/// OpenZeppelin's token with votes and permits.
contract VotesToken is ERC20Permit, ERC20Votes {
    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) ERC20Permit(name_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function nonces(address holder) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(holder);
    }
}

/// Ether wrapped one for one: anybody makes more of it by paying for it.
contract WrapperToken is ERC20 {
    constructor(string memory name_, string memory symbol_) payable ERC20(name_, symbol_) {
        _mint(msg.sender, msg.value);
    }

    function deposit() public payable {
        _mint(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        (bool ok,) = msg.sender.call{value: amount}("");
        require(ok);
    }

    receive() external payable {
        deposit();
    }
}

/// Counts transfers, and when each account got its first, and makes nothing depend on it.
contract CountingToken is ERC20 {
    uint256 public transfers;
    mapping(address account => uint256) public holderSince;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        transfers++;
        if (holderSince[to] == 0) holderSince[to] = block.timestamp;
        super._update(from, to, value);
    }
}

/// Burns 5 % of each of the first thousand transfers, and nothing of any later one.
contract FallingTaxToken is ERC20 {
    uint256 public transfers;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || transfers++ >= 1_000 ? 0 : value / 20;
        if (fee > 0) super._update(from, address(0), fee);
        super._update(from, to, value - fee);
    }
}

/// Its owner names the pool, once; whoever bought from it sells in a later block.
contract NotedToken is OwnedToken {
    address private _pair;
    mapping(address account => uint256) private _boughtIn;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function arm(address pair) external onlyOwner {
        require(_pair == address(0));
        _pair = pair;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_pair != address(0) && from == _pair) _boughtIn[to] = block.number;
        if (_pair != address(0) && to == _pair) require(_boughtIn[from] != block.number, "one trade a block");
        super._update(from, to, value);
    }
}

/// Its owner names the pool, once; trades with it burn 5 % until twenty-five were purchases, and nothing since.
contract LaunchTaxToken is OwnedToken {
    address private _pair;
    uint256 private _purchases;
    mapping(address account => bool) private _excluded;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _excluded[owner_] = true;
    }

    function arm(address pair) external onlyOwner {
        require(_pair == address(0));
        _pair = pair;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (_pair == address(0) || _excluded[from] || _excluded[to]) {
            super._update(from, to, value);
            return;
        }
        uint256 tax = 0;
        if (to == _pair) tax = _purchases > 25 ? 0 : value / 20;
        if (from == _pair) {
            tax = _purchases > 25 ? 0 : value / 20;
            _purchases++;
        }
        if (tax > 0) super._update(from, address(0), tax);
        super._update(from, to, value - tax);
    }
}
